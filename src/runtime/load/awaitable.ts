/** A value, or a promise of it: what a store answers at once or later. */
export type Awaitable<T> = T | Promise<T>;

/** A computation that reads rows. It yields only the reads that are not answered at once. */
export type Reading<T> = Generator<Promise<unknown>, T>;

/** Returns whether a store answers later. */
export function isPromise<T>(answer: Awaitable<T>): answer is Promise<T> {
  return answer instanceof Promise;
}

/** Uses an answer: in this turn if it is there, else once it is. */
export function chain<T, R>(answer: Awaitable<T>, use: (answer: T) => Awaitable<R>): Awaitable<R> {
  return isPromise(answer) ? answer.then(use) : use(answer);
}

/** Reads a row inside of a `Reading`. */
export function* read<T>(answer: Awaitable<T>): Reading<T> {
  return isPromise(answer) ? ((yield answer) as T) : answer;
}

/** Runs a computation: to its end in this turn if the store answers every read at once. */
export function perform<T>(reading: Reading<T>): Awaitable<T> {
  const first = reading.next();
  return first.done === true ? first.value : performLater(reading, first.value);
}

async function performLater<T>(reading: Reading<T>, first: Promise<unknown>): Promise<T> {
  let waiting = first;
  for (;;) {
    const { isAnswered, value } = await settle(waiting);
    const step = isAnswered ? reading.next(value) : reading.throw(value);
    if (step.done === true) return step.value;
    waiting = step.value;
  }
}

async function settle(answer: Promise<unknown>): Promise<{ isAnswered: boolean; value: unknown }> {
  try {
    return { isAnswered: true, value: await answer };
  } catch (error) {
    return { isAnswered: false, value: error };
  }
}
