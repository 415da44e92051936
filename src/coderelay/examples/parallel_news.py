# Two searches at once: they take as long as the slower of them.
import asyncio

sport, affairs = await asyncio.gather(
    web_search(query="sport news", limit=2),
    web_search(query="international affairs news", limit=2),
)
[article["title"] for article in sport + affairs]
