// Hold a conversation with the code of a guide: `drive.mjs GUIDE whole|streamed QUESTION…`.
// Prints a line of JSON for each question: the pieces of the answer, in order.

const [, , name, form, ...questions] = process.argv;
const guide = await import(`./${name}.mjs`);
for (const question of questions) {
  const pieces =
    form === "whole" ? [await guide.ask(question)] : await Array.fromAsync(guide.stream(question));
  console.log(JSON.stringify(pieces));
}
