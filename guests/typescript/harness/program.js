// Program: what the host enters. Each entry does one thing; the host drains the jobs after it.

const MAX_MESSAGE = 8000;
const CAUSES = 4;

const shorten = (value) =>
  value.length > MAX_MESSAGE ? stringSlice(value, 0, MAX_MESSAGE) + '…' : value;

const messageOf = (error, depth) => {
  let message = text(error.message);
  if (isArray(error.errors)) {
    for (let i = 0; i < error.errors.length && i < CAUSES; i++) {
      message += `${message === '' ? '' : '; '}${inspect(error.errors[i])}`;
    }
    if (error.errors.length > CAUSES) message += `; … ${error.errors.length - CAUSES} more`;
  }
  const cause = error.cause;
  if (depth < CAUSES && kindOfThrown(cause) === 'error') {
    message += ` (caused by ${text(cause.name)}: ${messageOf(cause, depth + 1)})`;
  }
  return message;
};

const kindOfThrown = (thrown) =>
  typeof thrown === 'object' && thrown !== null ? kindOf(thrown) : typeof thrown;

// What may have made an error, a line each: its tool if it has one, or else its classes.
const makersOf = (error) => {
  if (weakGet(errorKinds, error) !== undefined) return text(error.tool);
  let names = '';
  let type = getPrototypeOf(error).constructor;
  for (let i = 0; i < CAUSES && typeof type === 'function'; i++) {
    names += `${text(type.name)}\n`;
    type = getPrototypeOf(type);
  }
  return names;
};

const describeThrown = (found) => {
  const thrown = asMisuse(found);
  if (kindOfThrown(thrown) !== 'error') {
    const message = inspect(thrown);
    return { name: 'Thrown', message, stack: '', kind: 'exception', makers: '', unawaited: '' };
  }
  const { name, stack } = thrown;
  return {
    name: text(name),
    message: messageOf(thrown, 0),
    stack: typeof stack === 'string' ? stack : '',
    kind: weakGet(errorKinds, thrown) ?? 'exception',
    makers: makersOf(thrown),
    unawaited: callBehind(thrown),
  };
};

// The call that was used without its result, if that is why an error was made: its tool in a line,
// and then the stack of where it was made.
const callBehind = (error) => {
  const call = weakGet(misused, error);
  return call === undefined ? '' : `${call.tool.name}\n${ownStack(call.error)}`;
};

const fail = (thrown) => {
  let described;
  try {
    described = describeThrown(thrown);
  } catch (problem) {
    const message = 'an error that cannot be shown';
    described = { name: 'Thrown', message, stack: '', kind: '', makers: '', unawaited: '' };
  }
  const { name, message, stack, kind, makers, unawaited } = described;
  host.fail(
    shorten(name),
    shorten(message),
    shorten(stack),
    kind,
    shorten(makers),
    shorten(unawaited),
  );
};

const describeReason = (reason) => {
  try {
    return inspect(asMisuse(reason));
  } catch (problem) {
    return inspect(reason);
  }
};

const refusalAsError = (refusal) => {
  const error = new NativeTypeError(refusal.message);
  if (refusal.call !== undefined) weakSet(misused, error, refusal.call);
  return error;
};

const complete = (value) => {
  let encoded;
  try {
    encoded = encode(value, 'value');
  } catch (problem) {
    return fail(problem instanceof Refusal ? refusalAsError(problem) : problem);
  }
  host.complete(encoded);
};

// A program whose value is a function is that function.
const finish = (value) => {
  try {
    const outcome = typeof value === 'function' ? apply(value, undefined, []) : value;
    promiseThen(promiseResolve(outcome), complete, fail);
  } catch (thrown) {
    fail(thrown);
  }
};

return {
  start(encoded) {
    const config = jsonParse(encoded);
    seedRandom(config.seed[0], config.seed[1], config.seed[2]);
    startClock();
    defineTools(config.tools);
  },
  begin(evaluated) {
    try {
      promiseThen(evaluated, (completion) => finish(completion.value), fail);
    } catch (thrown) {
      fail(thrown); // Promise's species may be the program's own
    }
  },
  settle(encoded) {
    settle(encoded, false);
  },
  settleExactly(encoded) {
    settle(encoded, true);
  },
  fire: fireTimer,
  reject(reason) {
    host.log('error', `Unhandled rejection: ${describeReason(reason)}`);
  },
};
