"""The data source that Spark makes for `format("barnabas")`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource

from barnabas.errors import ConfigError
from barnabas.spark.options import ReadOptions, WriteOptions
from barnabas.spark.schemas import Decoding, schema_without_fields

if TYPE_CHECKING:
    from pyspark.sql.datasource import (
        DataSourceReader,
        DataSourceStreamReader,
        DataSourceStreamWriter,
        DataSourceWriter,
    )
    from pyspark.sql.types import StructType

__all__ = ["BarnabasDataSource"]


class BarnabasDataSource(DataSource):
    """Kafka topics as DataFrames: batch and streaming reads and writes."""

    @classmethod
    def name(cls) -> str:
        """The name for `format(...)`."""
        return "barnabas"

    def schema(self) -> StructType:
        """The columns of a read without a schema of the user's: Kafka's own, or those that other options ask for.

        Raises:
            ConfigError: An option is wrong, or no columns are found.
            KafkaError: The topics cannot be read for a sample.
        """
        names = {name.lower() for name in self.options}
        if names & {"inferschema", "avroschema", "singlevariantcolumn"}:
            from barnabas.spark.inference import columns_of  # noqa: PLC0415 - loads the client, pyarrow and the extension

            if (found := columns_of(self.options)) is not None:
                return found
        # Whether it is a batch or a stream is not known yet; what differs is checked by the readers.
        return schema_without_fields(self.options)

    def reader(self, schema: StructType) -> DataSourceReader:
        """For `spark.read`.

        Args:
            schema: The rows' schema: the user's, or that of `schema()`.

        Raises:
            ConfigError: An option or the schema is wrong.
        """
        from barnabas.spark.reader import (  # noqa: PLC0415 - pyarrow and the extension load with the first use
            BatchReader,
            PushingReader,
        )

        options = ReadOptions.parse(self.options, streaming=False)
        reader = PushingReader if options.push_filters else BatchReader
        return reader(options, Decoding.choose(schema, options))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's name
        """For `spark.readStream`. What is wrong with options or schema is told when the query starts.

        Args:
            schema: The rows' schema: the user's, or that of `schema()`.

        Raises:
            NotImplementedError: Spark is older than 4.2.
        """
        try:
            from barnabas.spark.stream import (  # noqa: PLC0415 - Spark before 4.2 lacks what it needs
                RefusedStreamReader,
                StreamReader,
            )
        except ImportError as error:
            raise NotImplementedError("streaming reads need Spark 4.2 or newer") from error
        try:
            options = ReadOptions.parse(self.options, streaming=True)
            return StreamReader(options, Decoding.choose(schema, options))
        except ConfigError as error:
            return RefusedStreamReader(error)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:  # noqa: FBT001 - Spark's signature
        """For `DataFrame.write`.

        Args:
            schema: The rows' schema.
            overwrite: Whether what is there is to be replaced.

        Raises:
            ConfigError: An option, the schema or the mode is wrong.
        """
        from barnabas.spark.batch_writer import BatchWriter  # noqa: PLC0415 - pyarrow and the extension load with the first use

        return BatchWriter(schema, WriteOptions.parse(self.options), overwrite=overwrite)

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamWriter:  # noqa: ARG002, FBT001, N802 - Spark's signature
        """For `DataFrame.writeStream`.

        Args:
            schema: The rows' schema.
            overwrite: Whether the output mode is complete: all rows of each batch are written then.

        Raises:
            ConfigError: An option or the schema is wrong.
            NotImplementedError: Spark is older than 4.1.
        """
        try:
            from barnabas.spark.stream_writer import StreamWriter  # noqa: PLC0415 - Spark before 4.1 lacks what it needs
        except ImportError as error:
            raise NotImplementedError("streaming writes need Spark 4.1 or newer") from error
        return StreamWriter(schema, WriteOptions.parse(self.options))
