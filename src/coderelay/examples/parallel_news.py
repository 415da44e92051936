# Three searches at once. They are one batch, which takes as long as the
# slowest of them.

import asyncio

TOPICS = ["sport", "science", "business"]


async def main():
    searches = [web_search(query=topic, limit=2) for topic in TOPICS]
    found = await asyncio.gather(*searches)
    print(f"{sum(map(len, found))} articles on {len(TOPICS)} topics")

    return {
        topic: [f"{a['title']} ({a['source']})" for a in articles]
        for topic, articles in zip(TOPICS, found)
    }
