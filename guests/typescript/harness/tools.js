// Tools: a call is a promise that stays unsettled until its result is there. A program can not
// tell a suspension from a slow tool.

const waiting = ObjectCreate(null);
const errorKinds = new WeakMap();
let made = 0;
let delivered = 0;

// The Error is made when the call is: that is where it points, and QuickJS has no async stacks.
const callTool = (tool, args) => {
  const error = new NativeError();
  let call;
  const promise = new NativePromise((resolve, reject) => {
    let input = args[0];
    if (args.length > 1) input = args;
    else if (input === undefined) input = ObjectCreate(null);
    let encoded;
    try {
      encoded = encode(input, 'arguments');
    } catch (problem) {
      if (!(problem instanceof Refusal)) throw problem;
      const message = `${tool.name}: ${problem.message}`;
      const refused = failure(tool.name, error, 'ArgumentsError', message, 'arguments');
      if (problem.call !== undefined) weakSet(misused, refused, problem.call);
      return reject(refused);
    }
    call = waiting[made++] = { tool, error, resolve, reject };
    host.call(tool.name, encoded);
  });
  return guardCall(promise, call ?? { tool, error });
};

const failure = (tool, error, name, message, kind) => {
  define('stack', ownStack(error), error);
  setPrototypeOf(error, ToolError.prototype);
  define('tool', tool, error);
  define('name', name, error);
  define('message', message, error);
  weakSet(errorKinds, error, kind);
  return error;
};

// Give a batch its results: [true, value] or [false, name, message, kind] each, in call order.
const settle = (encoded, exact) => {
  const results = exact ? jsonParse(encoded, reviveBigInt) : jsonParse(encoded);
  for (let i = 0; i < results.length; i++) {
    const result = results[i];
    const call = waiting[delivered];
    delete waiting[delivered++];
    if (result[0]) call.resolve(result[1]);
    else call.reject(failure(call.tool.name, call.error, result[1], result[2], result[3]));
    call.resolve = call.reject = undefined; // they hold the promise that this is kept for
  }
};

// What the language itself asks an object for.
const NO_TOOLS = {
  __proto__: null,
  constructor: true,
  then: true,
  toJSON: true,
  toString: true,
  valueOf: true,
};

const stub = (name, identifier) => {
  const tool = { __proto__: null, name, identifier };
  const callable = (...args) => callTool(tool, args);
  defineProperty(callable, 'name', { __proto__: null, value: identifier, configurable: true });
  return callable;
};

const defineTools = (declared) => {
  const known = ObjectCreate(null);
  for (let i = 0; i < declared.length; i++) {
    const name = declared[i][0];
    const identifiers = declared[i][1];
    const callable = stub(name, identifiers[0]);
    known[name] = callable;
    for (let j = 0; j < identifiers.length; j++) {
      define(identifiers[j], callable);
      known[identifiers[j]] = callable;
    }
  }
  // tools.anything is a call, so that an unknown tool is answered by the host, which knows all.
  const namespace = new NativeProxy(known, {
    __proto__: null,
    get: (target, key) =>
      typeof key !== 'string' || key in target || NO_TOOLS[key] === true
        ? target[key]
        : stub(key, key),
  });
  define('tools', namespace);
};
