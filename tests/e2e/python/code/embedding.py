"""Counts colours."""

WORDS = ("red", "blue", "green")


async def embed(texts: list[str]) -> list[list[float]]:
    return [[float(text.count(word)) + 0.01 for word in WORDS] for text in texts]
