//! How structs are declared and made codecs.
//!
//! `message!` lists a struct's fields with their default, versions, and, where the schema has them, tag, first nullable
//! version and whether a version that lacks the field may drop its value. All is resolved at compile time.

use crate::error::{Result, WireError};
use crate::primitives::{Reader, Uuid, Writer};

/// What a field's codec has to know.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context {
    pub(crate) version: i16,
    pub(crate) flexible: bool,
    pub(crate) nullable: bool,
}

/// A type that stands in a message.
pub(crate) trait Wire<'a>: Sized {
    /// The least bytes that a value takes; bounds the counts of arrays.
    const SIZE_MIN: usize;

    fn read(reader: &mut Reader<'a>, context: Context) -> Result<Self>;
    fn write(&self, writer: &mut Writer, context: Context) -> Result<()>;
}

macro_rules! plain {
    ($($type:ty, $method:ident;)*) => {$(
        impl<'a> Wire<'a> for $type {
            const SIZE_MIN: usize = size_of::<$type>();

            fn read(reader: &mut Reader<'a>, _: Context) -> Result<Self> {
                reader.$method()
            }

            fn write(&self, writer: &mut Writer, _: Context) -> Result<()> {
                writer.$method(*self);
                Ok(())
            }
        }
    )*};
}

plain! { bool, bool; i8, i8; i16, i16; u16, u16; i32, i32; u32, u32; i64, i64; f64, f64; }

impl<'a> Wire<'a> for Uuid {
    const SIZE_MIN: usize = 16;

    fn read(reader: &mut Reader<'a>, _: Context) -> Result<Self> {
        reader.uuid()
    }

    fn write(&self, writer: &mut Writer, _: Context) -> Result<()> {
        writer.uuid(self);
        Ok(())
    }
}

impl<'a> Wire<'a> for &'a str {
    const SIZE_MIN: usize = 1;

    fn read(reader: &mut Reader<'a>, context: Context) -> Result<Self> {
        reader.nullable_str(context.flexible)?.ok_or(WireError::UnexpectedNull {
            version: context.version,
        })
    }

    fn write(&self, writer: &mut Writer, context: Context) -> Result<()> {
        writer.nullable_str(Some(self), context.flexible)
    }
}

impl<'a> Wire<'a> for Option<&'a str> {
    const SIZE_MIN: usize = 1;

    fn read(reader: &mut Reader<'a>, context: Context) -> Result<Self> {
        match reader.nullable_str(context.flexible)? {
            None if !context.nullable => Err(WireError::UnexpectedNull {
                version: context.version,
            }),
            value => Ok(value),
        }
    }

    fn write(&self, writer: &mut Writer, context: Context) -> Result<()> {
        if self.is_none() && !context.nullable {
            return Err(WireError::UnexpectedNull {
                version: context.version,
            });
        }
        writer.nullable_str(*self, context.flexible)
    }
}

impl<'a, T: Wire<'a>> Wire<'a> for Option<Vec<T>> {
    const SIZE_MIN: usize = 1;

    fn read(reader: &mut Reader<'a>, context: Context) -> Result<Self> {
        let Some(count) = reader.nullable_count(context.flexible, T::SIZE_MIN)? else {
            return if context.nullable {
                Ok(None)
            } else {
                Err(WireError::UnexpectedNull {
                    version: context.version,
                })
            };
        };
        let mut elements = Vec::with_capacity(Reader::preallocated(count));
        for _ in 0..count {
            elements.push(T::read(
                reader,
                Context {
                    nullable: false,
                    ..context
                },
            )?);
        }
        Ok(Some(elements))
    }

    fn write(&self, writer: &mut Writer, context: Context) -> Result<()> {
        let Some(elements) = self else {
            return if context.nullable {
                writer.nullable_count(None, context.flexible)
            } else {
                Err(WireError::UnexpectedNull {
                    version: context.version,
                })
            };
        };
        elements.write(writer, context)
    }
}

impl<'a, T: Wire<'a>> Wire<'a> for Vec<T> {
    const SIZE_MIN: usize = 1;

    fn read(reader: &mut Reader<'a>, context: Context) -> Result<Self> {
        Option::<Self>::read(
            reader,
            Context {
                nullable: false,
                ..context
            },
        )
        .map(Option::unwrap_or_default)
    }

    fn write(&self, writer: &mut Writer, context: Context) -> Result<()> {
        writer.nullable_count(Some(self.len()), context.flexible)?;
        for element in self {
            element.write(
                writer,
                Context {
                    nullable: false,
                    ..context
                },
            )?;
        }
        Ok(())
    }
}

/// A struct that may be null.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Nullable<T>(pub Option<T>);

impl<'a, T: Wire<'a>> Wire<'a> for Nullable<T> {
    const SIZE_MIN: usize = 1;

    fn read(reader: &mut Reader<'a>, context: Context) -> Result<Self> {
        if context.nullable && reader.i8()? < 0 {
            return Ok(Self(None));
        }
        T::read(reader, context).map(|value| Self(Some(value)))
    }

    fn write(&self, writer: &mut Writer, context: Context) -> Result<()> {
        match &self.0 {
            Some(value) => {
                if context.nullable {
                    writer.i8(1);
                }
                value.write(writer, context)
            }
            None if context.nullable => {
                writer.i8(-1);
                Ok(())
            }
            None => Err(WireError::UnexpectedNull {
                version: context.version,
            }),
        }
    }
}

/// Tagged fields of one struct, encoded one after the other in ascending order of their tags.
#[derive(Debug, Default)]
pub(crate) struct TaggedFields {
    fields: Vec<(u32, Vec<u8>)>,
}

impl TaggedFields {
    pub(crate) fn push(&mut self, tag: u32, write: impl FnOnce(&mut Writer) -> Result<()>) -> Result<()> {
        let mut writer = Writer::new();
        write(&mut writer)?;
        let at = self.fields.partition_point(|(known, _)| *known < tag);
        self.fields.insert(at, (tag, writer.into_bytes()));
        Ok(())
    }

    pub(crate) fn write(&self, writer: &mut Writer) -> Result<()> {
        writer.tagged_fields(self.fields.iter().map(|(tag, data)| crate::primitives::RawTaggedField {
            tag: *tag,
            data: data.as_slice(),
        }))
    }
}

/// Declares structs: `field: Type = default, versions [, tag = n] [, nullable = first] [, ignorable = true];`.
macro_rules! message {
    ($(
        $(#[$meta:meta])*
        struct $name:ident $(<$lifetime:lifetime>)? flexible $flexible:literal {
            $(
                $(#[$field_meta:meta])*
                $field:ident : $type:ty = $default:expr, $versions:expr
                $(, tag = $tag:literal)? $(, nullable = $nullable:literal)? $(, ignorable = $ignorable:literal)? ;
            )*
        }
    )*) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name $(<$lifetime>)? {
            $( $(#[$field_meta])* pub $field: $type, )*
        }

        impl $(<$lifetime>)? Default for $name $(<$lifetime>)? {
            fn default() -> Self {
                Self { $( $field: $default, )* }
            }
        }

        impl<'a> $crate::messages::codec::Wire<'a> for $name $(<$lifetime>)? {
            const SIZE_MIN: usize = 1;

            #[allow(unused_mut, unused_assignments, reason = "not every struct has tagged fields")]
            fn read(
                reader: &mut $crate::primitives::Reader<'a>,
                context: $crate::messages::codec::Context,
            ) -> $crate::Result<Self> {
                let version = context.version;
                let flexible = version >= $flexible;
                let mut this = Self::default();
                $({
                    const TAGS: &[u32] = &[$($tag)?];
                    const NULLABLE: &[i16] = &[$($nullable)?];
                    if TAGS.is_empty() && ($versions).contains(&version) {
                        let nullable = NULLABLE.first().is_none_or(|first| version >= *first);
                        let context = $crate::messages::codec::Context { version, flexible, nullable };
                        this.$field = $crate::messages::codec::Wire::read(reader, context)?;
                    }
                })*
                if flexible {
                    reader.tagged_fields(|raw| {
                        $($(
                            if raw.tag == $tag && ($versions).contains(&version) {
                                let context = $crate::messages::codec::Context { version, flexible, nullable: true };
                                let mut value = $crate::primitives::Reader::new(raw.data);
                                this.$field = $crate::messages::codec::Wire::read(&mut value, context)?;
                                return value.finish();
                            }
                        )?)*
                        let _ = raw;
                        Ok::<(), $crate::WireError>(())
                    })?;
                }
                Ok(this)
            }

            fn write(
                &self,
                writer: &mut $crate::primitives::Writer,
                context: $crate::messages::codec::Context,
            ) -> $crate::Result<()> {
                let version = context.version;
                let flexible = version >= $flexible;
                #[allow(unused_mut, reason = "not every struct has tagged fields")]
                let mut tagged = $crate::messages::codec::TaggedFields::default();
                $({
                    const TAGS: &[u32] = &[$($tag)?];
                    const NULLABLE: &[i16] = &[$($nullable)?];
                    const IGNORABLE: bool = false $(|| $ignorable)?;
                    let default: $type = $default;
                    if ($versions).contains(&version) {
                        let nullable = NULLABLE.first().is_none_or(|first| version >= *first);
                        let context = $crate::messages::codec::Context { version, flexible, nullable };
                        match TAGS.first() {
                            None => $crate::messages::codec::Wire::write(&self.$field, writer, context)?,
                            Some(tag) if self.$field != default => {
                                tagged.push(*tag, |inner| {
                                    $crate::messages::codec::Wire::write(&self.$field, inner, context)
                                })?;
                            }
                            Some(_) => {}
                        }
                    } else if !IGNORABLE && self.$field != default {
                        return Err($crate::WireError::FieldNotInVersion { field: stringify!($field), version });
                    }
                })*
                if flexible {
                    tagged.write(writer)?;
                }
                Ok(())
            }
        }
    )*};
}
pub(crate) use message;

/// Gives a struct that is a whole message its public codec.
macro_rules! root {
    ($name:ident $(<$lifetime:lifetime>)?, $api_key:expr) => {
        impl $(<$lifetime>)? $name $(<$lifetime>)? {
            /// The API's key.
            pub const API_KEY: i16 = $api_key;

            fn context(version: i16) -> $crate::Result<$crate::messages::codec::Context> {
                match $crate::api::valid_versions(Self::API_KEY) {
                    Some((min, max)) if (min..=max).contains(&version) => {
                        Ok($crate::messages::codec::Context { version, flexible: false, nullable: false })
                    }
                    _ => Err($crate::WireError::UnsupportedVersion { message: stringify!($name), version }),
                }
            }

            /// Appends the message to what `writer` holds.
            pub fn encode(&self, writer: &mut $crate::primitives::Writer, version: i16) -> $crate::Result<()> {
                $crate::messages::codec::Wire::write(self, writer, Self::context(version)?)
            }

            /// The message's bytes.
            pub fn to_bytes(&self, version: i16) -> $crate::Result<Vec<u8>> {
                let mut writer = $crate::primitives::Writer::new();
                self.encode(&mut writer, version)?;
                Ok(writer.into_bytes())
            }
        }

        root!(@decode $name $(<$lifetime>)?);
    };
    (@decode $name:ident <$lifetime:lifetime>) => {
        impl<$lifetime> $name<$lifetime> {
            /// Reads the message from the front of what `reader` holds.
            pub fn decode(reader: &mut $crate::primitives::Reader<$lifetime>, version: i16) -> $crate::Result<Self> {
                $crate::messages::codec::Wire::read(reader, Self::context(version)?)
            }
        }
    };
    (@decode $name:ident) => {
        impl $name {
            /// Reads the message from the front of what `reader` holds.
            pub fn decode(reader: &mut $crate::primitives::Reader<'_>, version: i16) -> $crate::Result<Self> {
                $crate::messages::codec::Wire::read(reader, Self::context(version)?)
            }
        }
    };
}
pub(crate) use root;

/// Gives a message with records its encoding in parts.
macro_rules! in_parts {
    ($name:ident) => {
        impl $name<'_> {
            /// Encodes the message around its [`Records::Apart`], whose bytes are not copied: the caller sends them
            /// where [`Part::Records`] stands.
            ///
            /// [`Records::Apart`]: crate::messages::Records::Apart
            /// [`Part::Records`]: crate::messages::Part::Records
            pub fn encode_parts(&self, version: i16) -> $crate::Result<Vec<$crate::messages::Part>> {
                $crate::messages::parts::encode_in_parts(Vec::new(), false, |writer| self.encode(writer, version))
            }

            /// The same as a whole frame: the length in four bytes, `header`, the message.
            pub fn encode_frame(&self, header: &[u8], version: i16) -> $crate::Result<Vec<$crate::messages::Part>> {
                let mut prefix = Vec::with_capacity(size_of::<i32>() + header.len() + 256);
                prefix.extend_from_slice(&[0; size_of::<i32>()]);
                prefix.extend_from_slice(header);
                $crate::messages::parts::encode_in_parts(prefix, true, |writer| self.encode(writer, version))
            }
        }
    };
}
pub(crate) use in_parts;
