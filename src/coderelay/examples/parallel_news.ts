// Three searches at once. They are one batch, which takes as long as the
// slowest of them.

const topics = ["sport", "science", "business"] as const;

async function main() {
  const found = await Promise.all(
    topics.map((topic) => webSearch({ query: topic, limit: 2 })),
  );
  console.log(`${found.flat().length} articles on ${topics.length} topics`);

  const briefing: Record<string, string[]> = {};
  for (const [i, topic] of topics.entries()) {
    briefing[topic] = found[i].map((a) => `${a.title} (${a.source})`);
  }
  return briefing;
}
