// Tokens of each text of a JSON list, as GPT-4o and its successors count them (o200k_base).
const { countTokens } = require("gpt-tokenizer/encoding/o200k_base");
const texts = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(texts.map((text) => countTokens(text))));
