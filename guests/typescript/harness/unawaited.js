// Unawaited: a promise that is used as if it were its value fails there, and says which call it is.
// Without this, `getWeather({}).temperature > 10` is false, and nobody learns that an `await` is
// missing. A promise has so few properties that reading any other one is such a mistake.

const MAX_NAMED_CALLS = 3;
const MAX_KEY = 100;

const calls = new WeakMap(); // a call's promise to the call
const callOf = WeakMap.prototype.get.bind(calls);
const rememberCall = WeakMap.prototype.set.bind(calls);
const misused = new WeakMap(); // an error to the call that was used without `await`

// What to write instead, with what is read of the value: `(await get(…)).temperature`.
const writeAwait = (call, access = '') => {
  const awaited = `await ${call === undefined ? '…' : `${call.tool.identifier}(…)`}`;
  return `used without \`await\`: write \`${access === '' ? awaited : `(${awaited})${access}`}\``;
};

const index = /^\d+$/;
const accessTo = (key) => {
  const name = text(key);
  if (name.length > MAX_KEY) return '[…]';
  if (regexpExec(identifier, name) !== null) return `.${name}`;
  return `[${regexpExec(index, name) === null ? quote(name) : name}]`;
};

const quoteKey = (key) => {
  const name = text(key);
  return name.length > MAX_KEY ? `'${stringSlice(name, 0, MAX_KEY)}…'` : `'${name}'`;
};

const unawaited = (misuse, promise, access) => {
  const call = callOf(promise);
  const subject = call === undefined ? 'it' : `the call ${call.tool.identifier}(…)`;
  const advice = `${subject} was ${writeAwait(call, access)}`;
  const error = new NativeTypeError(`cannot ${misuse}: ${advice}`);
  define('stack', ownStack(error), error);
  if (call !== undefined) weakSet(misused, error, call);
  return error;
};

// `in` and `for in` do not tell us the promise, so the calls that it may be are named.
const unawaitedUnknown = (misuse) => {
  const error = unawaited(misuse, undefined);
  let message = error.message;
  for (let i = delivered; i < made && i < delivered + MAX_NAMED_CALLS; i++) {
    message += `${i === delivered ? '. Calls under way:' : ','} ${waiting[i].tool.identifier}(…)`;
  }
  define('message', message, error);
  return error;
};

// A function of ours that stands for a native one is on the stack as that is: there the place is.
const unawaitedIn = (native, error) => {
  define('stack', `    at ${native} (native)\n${error.stack}`, error);
  return error;
};

// `p[Symbol.iterator]` may be read by a program that only asks, or by the language, which then
// fails to iterate. Nothing tells these apart, so both get `undefined`, and the error that the
// language makes at that very place gets our words when the program fails with it.
const ITERATE = 'iterate over a promise';
const notIterable = /not iterable$/;
let iteratorRead = { __proto__: null, promise: undefined, stack: '', async: false };

const rememberIteratorRead = (promise, key) => {
  const stack = ownStack(new NativeError());
  const again = iteratorRead.async && iteratorRead.promise === promise && iteratorRead.stack === stack;
  iteratorRead = { __proto__: null, promise, stack, async: again || key === SymbolAsyncIterator };
};
// A stack has a greatest depth, and ours above it take some of that: so one may be longer.
const wasReadAt = (stack) => {
  const length = stack.length < iteratorRead.stack.length ? stack.length : iteratorRead.stack.length;
  return length > 0 && stringSlice(stack, 0, length) === stringSlice(iteratorRead.stack, 0, length);
};

// What a program failed with; our own error where that comes from a promise.
const asMisuse = (thrown) => {
  const kind = kindOfThrown(thrown);
  if (kind === 'promise') return unawaited('throw a promise', thrown);
  if (kind !== 'error' || iteratorRead.promise === undefined) return thrown;
  const { message, stack } = thrown;
  if (typeof message !== 'string' || typeof stack !== 'string') return thrown;
  // `for await` calls what it has read twice.
  const iterates = iteratorRead.async && message === 'not a function';
  if (!iterates && regexpExec(notIterable, message) === null) return thrown;
  if (!wasReadAt(stack)) return thrown;
  const error = unawaited(ITERATE, iteratorRead.promise);
  define('stack', stack, error);
  return error;
};

// What the language itself reads, and for what.
const IMPLICIT = {
  __proto__: null,
  toJSON: 'write a promise as JSON',
  [Symbol.toPrimitive]: 'convert a promise to text or a number',
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

// What is read of something that has no iterator, by Array.from and by core-js.
const AFTER_ITERATOR = { __proto__: null, length: true, '@@iterator': true };

const misread = (promise, key) => {
  if (IMPLICIT[key] !== undefined) return unawaited(IMPLICIT[key], promise);
  const misuse = `read property ${quoteKey(key)} of a promise`;
  const error = unawaited(misuse, promise, accessTo(key));
  const iterates = iteratorRead.promise === promise && AFTER_ITERATOR[key] && wasReadAt(error.stack);
  return iterates ? unawaited(ITERATE, promise) : error;
};

// Behind Promise.prototype stands what sees each property that a promise does not have. It costs
// nothing until then, and holds for the promises of async functions, too.
setPrototypeOf(
  PromisePrototype,
  new NativeProxy(ObjectCreate(ObjectPrototype), {
    __proto__: null,
    get(target, key, receiver) {
      const plain = prototypeOf(receiver) === PromisePrototype; // not of a program's own class
      if (!plain || mayBeRead(target, key)) {
        if (plain && (key === SymbolIterator || key === SymbolAsyncIterator)) rememberIteratorRead(receiver, key);
        return reflectGet(target, key, receiver);
      }
      throw misread(receiver, key);
    },
    has(target, key) {
      if (key in target || isQuestion(key)) return key in target;
      throw unawaitedUnknown(`look for ${quoteKey(key)} in a promise`);
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
guardListing('getOwnPropertyNames');

const nativeHasOwn = Object.hasOwn;
const finding = {
  hasOwn(value, key) {
    if (nativeHasOwn(value, key)) return true;
    if (prototypeOf(value) !== PromisePrototype || isQuestion(key)) return false;
    throw unawaited(`look for ${quoteKey(key)} in a promise`, value);
  },
};
define('hasOwn', finding.hasOwn, Object);

const COPY = 'copy the properties of a promise';
const nativeAssign = Object.assign;
const isPromise = (value) =>
  typeof value === 'object' && value !== null && prototypeOf(value) === PromisePrototype;
const refuseEmpty = (promise) => {
  if (objectKeys(promise).length > 0) return;
  throw unawaitedIn('assign', unawaited(COPY, promise));
};
const copying = {
  assign(target, source) {
    const prototype = typeof source === 'object' && source !== null && prototypeOf(source);
    if (prototype === PromisePrototype) refuseEmpty(source);
    if (arguments.length === 2) return nativeAssign(target, source);
    for (let i = 2; i < arguments.length; i++) {
      if (isPromise(arguments[i])) refuseEmpty(arguments[i]);
    }
    return apply(nativeAssign, this, arguments);
  },
};
define('assign', copying.assign, Object);

// `{ ...promise }` reads what the promise itself has: that of a call, of `then` and of
// `Promise.all` and its like has something that throws. An async function's cannot be given it.
const SPREAD = Symbol('await');
const defineGetter = uncurry(Object.prototype.__defineGetter__);
function refuseSpread() {
  if (objectKeys(this).length === 0) throw unawaited(COPY, this);
}

const guardCall = (promise, call) => {
  rememberCall(promise, call);
  defineGetter(promise, SPREAD, refuseSpread);
  return promise;
};

const guardSpread = (promise) => {
  if (prototypeOf(promise) === PromisePrototype) defineGetter(promise, SPREAD, refuseSpread);
  return promise;
};
const nativeThen = uncurry(PromisePrototype.then);
const following = {
  then(onFulfilled, onRejected) {
    return guardSpread(nativeThen(this, onFulfilled, onRejected)); // of catch and finally, too
  },
};
define('then', following.then, PromisePrototype);

const guardCombining = (name) => {
  const native = uncurry(NativePromise[name]);
  const combining = {
    [name](promises) {
      return guardSpread(native(this, promises));
    },
  };
  define(name, combining[name], NativePromise);
};
guardCombining('all');
guardCombining('allSettled');
guardCombining('any');
guardCombining('race');
