"""Everything a client does in several steps, as generators without I/O: they yield instructions and get answers.

A driver (`barnabas.client.driver` for threads) carries the instructions out. So an operation says once what is sent,
what each error code means and when to try again, whoever runs it.
"""
