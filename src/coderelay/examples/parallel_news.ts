// Two searches at once: they take as long as the slower of them.
const [sport, affairs] = await Promise.all([
  webSearch({ query: "sport news", limit: 2 }),
  webSearch({ query: "international affairs news", limit: 2 }),
]);
return [...sport, ...affairs].map((article) => article.title);
