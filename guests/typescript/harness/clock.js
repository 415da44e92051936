// Clock: time is virtual. The host's import answers Date; timers move it, and fire only when
// nothing else can run and no call waits.

const LONGEST = 2147483647; // milliseconds, as everywhere
const timers = new Map();
let timerIds = 0;

const addTimer = (callback, delay, rest, every) => {
  if (typeof callback !== 'function') {
    throw new NativeTypeError('a timer needs a function to call');
  }
  const wait = toNumber(delay);
  const least = every ? 1 : 0;
  const period = wait > least ? (wait < LONGEST ? wait : LONGEST) : least; // NaN: the least
  const id = ++timerIds;
  mapSet(timers, id, { id, callback, rest, due: dateNow() + period, period: every ? period : -1 });
  return id;
};

define('setTimeout', (callback, delay, ...rest) => addTimer(callback, delay, rest, false));
define('setInterval', (callback, delay, ...rest) => addTimer(callback, delay, rest, true));
define('clearTimeout', (id) => void mapDelete(timers, id));
define('clearInterval', (id) => void mapDelete(timers, id));

// An error that nobody can catch is logged, and the program goes on.
const guarded = (callback, rest) => {
  try {
    apply(callback, undefined, rest);
  } catch (error) {
    host.log('error', `Uncaught ${inspect(error)}`);
  }
};

define('queueMicrotask', (callback) => {
  if (typeof callback !== 'function') {
    throw new NativeTypeError('queueMicrotask needs a function to call');
  }
  promiseThen(promiseResolve(), () => guarded(callback, []));
});

const performance = {};
const timeOrigin = () => started;
let started = 0;
define('now', () => dateNow() - started, performance);
defineProperty(performance, 'timeOrigin', { get: timeOrigin, configurable: true });
define('performance', performance);

const startClock = () => {
  started = dateNow();
};

// Fire the timer that is due first. Says whether there was one.
const fireTimer = () => {
  let next = undefined;
  mapForEach(timers, (timer) => {
    if (next === undefined || timer.due < next.due) next = timer; // equal: the older one
  });
  if (next === undefined) return false;
  if (next.period < 0) mapDelete(timers, next.id);
  host.advance(text(next.due));
  if (next.period >= 0) next.due += next.period;
  guarded(next.callback, next.rest);
  return true;
};
