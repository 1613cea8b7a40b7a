// Lines as programs write them: a time, a level, words, ids and numbers; one in four is an error.

const WORDS = ['request', 'user', 'cache', 'query', 'worker', 'queue', 'token', 'retry', 'batch'];
const LEVELS = ['INFO', 'DEBUG', 'WARN', 'ERROR'];

/** The same lines each time, about 130 characters each. */
export function makeLines(count) {
  let state = 7;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const word = () => WORDS[Math.floor(random() * WORDS.length)];
  const lines = Array.from({ length: count }, (_, n) => {
    const time = new Date(1_795_000_000_000 + n).toISOString();
    const id = Math.floor(random() * 1e9).toString(16);
    const words = `${word()} ${word()} ${word()} ${word()}`;
    const rest = `duration=${Math.floor(random() * 500)}ms status=${200 + (n % 4)} attempt=${n % 3}`;
    return `${time} ${LEVELS[n % 4]} [${word()}] ${words} id=${id} ${rest} path=/api/${word()}s`;
  });
  // As a reader of a file has them: pieces of one text, and not texts that are yet to be joined.
  return Buffer.from(lines.join('\n')).toString().split('\n');
}

/** Median of the milliseconds that some runs take. */
export async function medianMs(run, runs) {
  const times = [];
  for (let n = 0; n < runs; n += 1) {
    const began = performance.now();
    await run();
    times.push(performance.now() - began);
  }
  return times.sort((one, other) => one - other)[runs >> 1];
}

/** Processor time and wall time that some work takes, in microseconds for each of `count`. */
export async function measured(count, work) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return {
    cpuUs: (user + system) / count,
    wallUs: ((performance.now() - began) * 1_000) / count,
  };
}
