// Encode: values as JSON text, exactly or not at all. JSON.stringify would turn a Promise into {}
// and NaN into null without a word; here each has one form, or a refusal that names the place.

const MAX_DEPTH = 256;
const PATH_STEPS = 3; // of a path, at either end
const LARGEST = Number.MAX_SAFE_INTEGER;
const MAX_DIGITS = 4000; // the host's Python reads no longer integer

const kinds = new NativeMap();
mapSet(kinds, PromisePrototype, 'promise');
mapSet(kinds, Map.prototype, 'map');
mapSet(kinds, Set.prototype, 'set');
mapSet(kinds, Date.prototype, 'date');
mapSet(kinds, Error.prototype, 'error');
mapSet(kinds, RegExp.prototype, 'text');
mapSet(kinds, library.URLSearchParams.prototype, 'text');
mapSet(kinds, getPrototypeOf(Uint8Array.prototype), 'typed array');
mapSet(kinds, ArrayBuffer.prototype, 'ArrayBuffer');
mapSet(kinds, DataView.prototype, 'DataView');
mapSet(kinds, WeakMap.prototype, 'WeakMap');
mapSet(kinds, WeakSet.prototype, 'WeakSet');
mapSet(kinds, Number.prototype, 'boxed');
mapSet(kinds, String.prototype, 'boxed');
mapSet(kinds, Boolean.prototype, 'boxed');
mapSet(kinds, BigInt.prototype, 'boxed');
mapSet(kinds, Iterator.prototype, 'iterator');
mapSet(kinds, getPrototypeOf(getPrototypeOf(async function* () {}.prototype)), 'async iterator');
mapSet(kinds, ObjectPrototype, 'object');

const kindOf = (value) => {
  if (isArray(value)) return 'array';
  let prototype = getPrototypeOf(value);
  if (prototype === ObjectPrototype) return 'object';
  for (let i = 0; prototype !== null && i < 64; i++) {
    const kind = mapGet(kinds, prototype);
    if (kind !== undefined) return kind;
    prototype = getPrototypeOf(prototype);
  }
  return 'object';
};

const identifier = /^[A-Za-z_$][\w$]*$/;
const REFUSED = {
  __proto__: null,
  promise: 'a Promise: await it',
  function: 'a function: give data only',
  symbol: 'a symbol: give data only',
  ArrayBuffer: 'an ArrayBuffer: give an array of numbers or a string',
  DataView: 'a DataView: give an array of numbers or a string',
  WeakMap: 'a WeakMap: give data only',
  WeakSet: 'a WeakSet: give data only',
  cycle: 'a value that contains itself: give data without cycles',
  depth: `nested more than ${MAX_DEPTH} levels deep: give flatter data`,
  date: 'an invalid Date',
  digits: `an integer of over ${MAX_DIGITS} digits: give it as a string`,
  iterator: 'an iterator: give [...it]',
  'async iterator': 'an async iterator: collect what it yields with for await',
  key: 'a Map with a key that is no string: give [...map] or an object',
};

class Refusal {
  message = '';
  call = undefined; // the one that was used without `await`, if that is why

  constructor(message, call) {
    this.message = message;
    this.call = call;
  }
}

// Plain values are those that JSON.stringify writes as we do.
const isPlain = (value) => {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return true;
    case 'number':
      return value >= -LARGEST && value <= LARGEST; // not NaN
  }
  return value === null;
};

// One encoding: what encloses the value now written, for its path and to see cycles.
class Encoder {
  root = '';
  trail = { __proto__: null };
  open = { __proto__: null };

  constructor(root) {
    this.root = root;
  }

  refuse(reason, depth, call) {
    const why =
      call === undefined
        ? REFUSED[reason]
        : `the call ${call.tool.identifier}(…), which was ${writeAwait(call)}`;
    let path = this.root;
    for (let i = 0; i < depth; i++) {
      if (i === PATH_STEPS && depth > 2 * PATH_STEPS) {
        path += '…';
        i = depth - PATH_STEPS;
      }
      const key = this.trail[i];
      if (typeof key === 'number') path += `[${key}]`;
      else path += regexpExec(identifier, key) !== null ? `.${key}` : `[${quote(key)}]`;
    }
    throw new Refusal(`${path} is ${why}`, call);
  }

  write(value, depth) {
    switch (typeof value) {
      case 'string':
        return quote(value);
      case 'number':
        return value - value === 0 ? this.writeNumber(value) : quote(text(value));
      case 'boolean':
        return text(value);
      case 'bigint':
        return this.writeBigInt(text(value), depth);
      case 'undefined':
        return 'null';
      case 'function':
      case 'symbol':
        return this.refuse(typeof value, depth);
    }
    return value === null ? 'null' : this.writeObject(value, depth);
  }

  // From 2^53 on not all digits that are shown are the number's own; `.0` says that it is no integer.
  writeNumber(number) {
    const rounded = (number > LARGEST && number < 1e21) || (number < -LARGEST && number > -1e21);
    return rounded ? text(number) + '.0' : text(number);
  }

  writeBigInt(digits, depth) {
    return digits.length > MAX_DIGITS ? this.refuse('digits', depth) : digits;
  }

  writeObject(value, depth) {
    if (depth >= MAX_DEPTH) this.refuse('depth', depth);
    for (let i = 0; i <= depth; i++) {
      if (this.open[i] === value) this.refuse('cycle', depth);
    }
    this.open[depth] = value;
    const written = this.writeKind(value, kindOf(value), depth);
    this.open[depth] = undefined;
    return written;
  }

  writeKind(value, kind, depth) {
    switch (kind) {
      case 'array':
        return this.writeList(value, value.length, depth);
      case 'set':
        return this.writeSet(value, depth);
      case 'map':
        return this.writeMap(value, depth);
      case 'typed array':
        return this.writeList(value, value.length, depth);
      case 'error':
        return `{"name":${quote(text(value.name))},"message":${quote(text(value.message))}}`;
      case 'text':
        return quote(text(value));
      case 'boxed':
        return this.write(value.valueOf(), depth);
      case 'date':
        if (value - value !== 0) this.refuse('date', depth);
        return quote(toISOString(value));
      case 'object':
        return this.writeProperties(value, depth);
    }
    return this.refuse(kind, depth, callOf(value));
  }

  writeList(list, length, depth) {
    let written = '[';
    for (let i = 0; i < length; i++) {
      this.trail[depth] = i;
      if (i > 0) written += ',';
      written += this.write(list[i], depth + 1);
    }
    return written + ']';
  }

  writeSet(set, depth) {
    let written = '[';
    let i = 0;
    setForEach(set, (item) => {
      this.trail[depth] = i;
      if (i++ > 0) written += ',';
      written += this.write(item, depth + 1);
    });
    return written + ']';
  }

  writeMap(map, depth) {
    let written = '{';
    mapForEach(map, (item, key) => {
      if (typeof key !== 'string') this.refuse('key', depth);
      this.trail[depth] = key;
      if (written !== '{') written += ',';
      written += quote(key) + ':' + this.write(item, depth + 1);
    });
    return written + '}';
  }

  writeProperties(value, depth) {
    const custom = value.toJSON;
    if (typeof custom === 'function') return this.write(apply(custom, value, ['']), depth);
    const keys = objectKeys(value);
    const record = { __proto__: null }; // each property is read once: it may be a getter
    let plain = true;
    for (let i = 0; i < keys.length; i++) {
      const item = (record[keys[i]] = value[keys[i]]);
      plain = plain && (typeof item === 'string' || isPlain(item));
    }
    // Frozen: QuickJS keeps it in an Array meanwhile, where a setter of Array.prototype meets it.
    return plain ? stringify(freeze(record)) : this.writeRecord(record, keys, depth);
  }

  writeRecord(record, keys, depth) {
    let written = '{';
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      const item = record[key];
      if (item === undefined) continue; // as JSON has it: `{ limit: undefined }` names no limit
      this.trail[depth] = key;
      if (written !== '{') written += ',';
      written += quote(key) + ':' + this.write(item, depth + 1);
    }
    return written + '}';
  }
}
seal(Encoder);
seal(Refusal);

// The JSON text of a value. Throws a Refusal, or what a getter of the program's own threw.
const encode = (value, root) => new Encoder(root).write(value, 0);

// The reviver for results that hold integers beyond 2^53: those arrive as BigInt, exactly.
const integer = /^-?\d+$/;
const reviveBigInt = (key, value, context) =>
  typeof value === 'number' && !isSafeInteger(value) && regexpExec(integer, context.source) !== null
    ? toBigInt(context.source)
    : value;
