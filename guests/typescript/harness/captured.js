// Captured: all that the harness uses, taken before user code runs. A program may replace any
// global or any method of a prototype; the harness must not notice. So nothing below is called as
// a method, no array is iterated or destructured, and own state lives in closures.

const host = globalThis.host;
delete globalThis.host;

const { apply, defineProperty, getPrototypeOf, setPrototypeOf } = Reflect;
const uncurry = Function.prototype.bind.bind(Function.prototype.call); // uncurry(f)(self, …)

const ObjectCreate = Object.create;
const objectKeys = Object.keys;
const prototypeOf = Object.getPrototypeOf; // of anything, unlike Reflect's
const reflectGet = Reflect.get;
const freeze = Object.freeze;
const isArray = Array.isArray;
const isSafeInteger = Number.isSafeInteger;
const jsonParse = JSON.parse;
const stringify = JSON.stringify; // for plain data only: it would ask toJSON, and lose what it is not
const quote = stringify;
const dateNow = Date.now;
const text = String;
const truncate = Math.trunc;
const toBigInt = BigInt;
const toNumber = Number;
const SymbolIterator = Symbol.iterator;
const SymbolAsyncIterator = Symbol.asyncIterator;
const NativePromise = Promise;
const PromisePrototype = Promise.prototype;
const ObjectPrototype = Object.prototype;
const NativeError = Error;
const NativeTypeError = TypeError;
const NativeMap = Map;
const NativeProxy = Proxy;
const NativeUint8Array = Uint8Array;

const promiseThen = uncurry(Promise.prototype.then);
const promiseResolve = Promise.resolve.bind(Promise);
const mapGet = uncurry(Map.prototype.get);
const mapSet = uncurry(Map.prototype.set);
const mapHas = uncurry(Map.prototype.has);
const mapDelete = uncurry(Map.prototype.delete);
const mapForEach = uncurry(Map.prototype.forEach);
const setForEach = uncurry(Set.prototype.forEach);
const weakGet = uncurry(WeakMap.prototype.get);
const weakSet = uncurry(WeakMap.prototype.set);
const toISOString = uncurry(Date.prototype.toISOString);
const regexpExec = uncurry(RegExp.prototype.exec); // not test: that asks a replaced exec
const stringSlice = uncurry(String.prototype.slice);

// A class of ours that no property of Object.prototype reaches into.
const seal = (type) => {
  setPrototypeOf(type.prototype, null);
  freeze(type.prototype);
};

// A global that a program may shadow or replace, as it may any other.
// No descriptor of ours has a prototype: `Object.prototype.get` would make it an accessor's.
const define = (name, value, target = globalThis) =>
  defineProperty(target, name, {
    __proto__: null,
    value,
    writable: true,
    configurable: true,
    enumerable: false,
  });

// What lets a program see its memory being collected, or our frames on its stack, is not for it.
delete globalThis.WeakRef;
delete globalThis.FinalizationRegistry;
delete globalThis.SharedArrayBuffer;
defineProperty(Error, 'prepareStackTrace', { value: undefined });

// The stack of an error from the program's own frames on: ours, without debug information, have no
// file.
const ourFrames = /^(?:.*\(<null>.*\n)+/;
const ownStack = (error) => {
  const stack = text(error.stack);
  const ours = regexpExec(ourFrames, stack);
  return ours === null ? stack : stringSlice(stack, ours[0].length);
};

class ToolError extends Error {
  constructor(message, options) {
    super(message, options);
    define('name', 'ToolError', this);
  }
}
define('ToolError', ToolError);
