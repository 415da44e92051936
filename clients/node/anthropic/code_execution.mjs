import { tools } from "./messages.mjs";

for (const tool of tools) tool.allowed_callers = ["code_execution_20260120"];
tools.push({ type: "code_execution_20260120", name: "code_execution" });

export { ask, stream } from "./messages.mjs";
