"""Names that no tool may take in TypeScript, because programs or the language need them."""

from coderelay.languages.naming import HOST_NAMES

_NAMES = """
await break case catch class const continue debugger default delete do else enum export extends
false finally for function if import in instanceof new null return super switch this throw true
try typeof var void while with yield let static implements interface package private protected
public async eval arguments undefined NaN Infinity
any bigint boolean never number object string symbol unknown
Object Function Array Number Boolean String Symbol BigInt Math JSON Date Promise RegExp Map Set
WeakMap WeakSet WeakRef FinalizationRegistry Proxy Reflect Error AggregateError EvalError
RangeError ReferenceError SyntaxError TypeError URIError SuppressedError InternalError
ArrayBuffer SharedArrayBuffer DataView Atomics Iterator AsyncIterator DisposableStack DOMException
AsyncDisposableStack Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array
Uint32Array Float16Array Float32Array Float64Array BigInt64Array BigUint64Array
Record Partial Required Readonly Pick Omit Exclude Extract Awaited Intl
parseInt parseFloat isNaN isFinite encodeURI encodeURIComponent decodeURI decodeURIComponent
escape unescape globalThis self window global process Buffer require module exports
structuredClone URL URLSearchParams TextEncoder TextDecoder atob btoa performance crypto
setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate queueMicrotask
constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf
"""

RESERVED = HOST_NAMES.union(_NAMES.split())
