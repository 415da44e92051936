// Unawaited: a promise that is used as if it were its value fails there, and says which call it is.
// Without this, `getWeather({}).temperature > 10` is false, and nobody learns that an `await` is
// missing. A promise has so few properties that reading any other one is such a mistake.

const SHOWN_CALLS = 3;
const SHOWN_KEY = 100;

const calls = new WeakMap(); // a call's promise to the call
const callOf = WeakMap.prototype.get.bind(calls);
const rememberCall = WeakMap.prototype.set.bind(calls);
const misused = new WeakMap(); // an error to the call that was not awaited

const writeAwait = (call) => `not awaited: write \`await ${call.tool.shown}(…)\``;

const shownKey = (key) => {
  const shown = text(key);
  return shown.length > SHOWN_KEY ? `'${stringSlice(shown, 0, SHOWN_KEY)}…'` : `'${shown}'`;
};

const unawaited = (misuse, promise) => {
  const call = callOf(promise);
  const advice =
    call === undefined
      ? 'it was not awaited: write `await …`'
      : `the call ${call.tool.shown}(…) was ${writeAwait(call)}`;
  const error = new NativeTypeError(`cannot ${misuse}: ${advice}`);
  define('stack', ownStack(error), error);
  if (call !== undefined) weakSet(misused, error, call);
  return error;
};

// `in` and `for in` do not tell us the promise, so the calls that it may be are named.
const unawaitedUnknown = (misuse) => {
  const error = unawaited(misuse, undefined);
  let message = error.message;
  for (let i = delivered; i < made && i < delivered + SHOWN_CALLS; i++) {
    message += `${i === delivered ? '. Calls under way:' : ','} ${waiting[i].tool.shown}(…)`;
  }
  define('message', message, error);
  return error;
};

// What the language itself reads, and for what.
const IMPLICIT = {
  __proto__: null,
  toJSON: 'write a promise as JSON',
  [Symbol.toPrimitive]: 'convert a promise to text or a number',
  [Symbol.iterator]: 'iterate over a promise',
};
// What every object has: a program that uses it takes the promise for its value.
const OF_VALUES = {
  __proto__: null,
  hasOwnProperty: true,
  propertyIsEnumerable: true,
  toLocaleString: true,
  toString: true,
  valueOf: true,
};
// What tells a promise from a value. Asked here only where a program has removed it.
const OF_PROMISES = { __proto__: null, then: true, catch: true, finally: true, constructor: true };

// Symbols, too, only ask what something is: Symbol.asyncIterator, Symbol.isConcatSpreadable.
const isQuestion = (key) => typeof key === 'symbol' || OF_PROMISES[key] === true;
const mayBeRead = (target, key) =>
  IMPLICIT[key] === undefined
    ? isQuestion(key) || (key in target && OF_VALUES[key] !== true)
    : key in target;

// Behind Promise.prototype stands what sees each property that a promise does not have. It costs
// nothing until then, and holds for the promises of async functions, too.
setPrototypeOf(
  PromisePrototype,
  new NativeProxy(ObjectCreate(ObjectPrototype), {
    __proto__: null,
    get(target, key, receiver) {
      const plain = prototypeOf(receiver) === PromisePrototype; // not of a program's own class
      if (!plain || mayBeRead(target, key)) return reflectGet(target, key, receiver);
      throw unawaited(IMPLICIT[key] ?? `read property ${shownKey(key)} of a promise`, receiver);
    },
    has(target, key) {
      if (key in target || isQuestion(key)) return key in target;
      throw unawaitedUnknown(`look for ${shownKey(key)} in a promise`);
    },
    ownKeys() {
      throw unawaitedUnknown('list the properties of a promise');
    },
  }),
);

// What looks at an object's own properties does not ask its prototype.
const guardListing = (name) => {
  const native = Object[name];
  const listing = {
    [name](value) {
      const found = native(value);
      if (found.length > 0 || prototypeOf(value) !== PromisePrototype) return found;
      throw unawaited('list the properties of a promise', value);
    },
  };
  define(name, listing[name], Object);
};
guardListing('keys');
guardListing('values');
guardListing('entries');

const nativeHasOwn = Object.hasOwn;
const finding = {
  hasOwn(value, key) {
    if (nativeHasOwn(value, key)) return true;
    if (prototypeOf(value) !== PromisePrototype || isQuestion(key)) return false;
    throw unawaited(`look for ${shownKey(key)} in a promise`, value);
  },
};
define('hasOwn', finding.hasOwn, Object);

// `{ ...promise }` reads what the promise itself has: a call's promise has something that throws.
const SPREAD = Symbol('await');
const defineGetter = Function.prototype.call.bind(Object.prototype.__defineGetter__);
function refuseSpread() {
  throw unawaited('copy the properties of a promise', this);
}

const guardCall = (promise, call) => {
  rememberCall(promise, call);
  defineGetter(promise, SPREAD, refuseSpread);
  return promise;
};
