"""Names that no tool may take, because a program or its language needs them.

The lists are written out rather than asked of the host's interpreter: replicas on different
Python versions must give a tool the same name.
"""

_TYPESCRIPT = """
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
main text console tools searchTools search_tools describeTool describe_tool ToolError
"""

_PYTHON = """
False None True and as assert async await break class continue def del elif else except finally
for from global if import in is lambda nonlocal not or pass raise return try while with yield
abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile
complex copyright credits delattr dict dir divmod enumerate eval exec exit filter float format
frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len
license list locals map max memoryview min next object oct open ord pow print property quit range
repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip
Ellipsis NotImplemented
ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError
BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError
ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError EncodingWarning
EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError FloatingPointError
FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError IndexError
InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError
ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError OverflowError
PendingDeprecationWarning PermissionError ProcessLookupError PythonFinalizationError
RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration
StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError
UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError
UnicodeWarning UserWarning ValueError Warning ZeroDivisionError
Any Literal Never NotRequired TypeAlias TypedDict Unpack
asyncio base64 collections contextlib csv dataclasses datetime decimal enum functools hashlib io
itertools json math operator os random re statistics string sys textwrap time traceback typing
uuid zoneinfo coderelay
main text console tools searchTools search_tools describeTool describe_tool ToolError
"""

TYPESCRIPT = frozenset(_TYPESCRIPT.split())
PYTHON = frozenset(_PYTHON.split())
