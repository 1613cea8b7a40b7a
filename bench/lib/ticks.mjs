// One event a second for every open stream, spread evenly over the second.

/** A second has this many steps; in each the streams of one share are served. */
const STEPS = 50;

/** Under TICK=1, gives each item of the list to `send` once a second. */
export function everySecond(listOf, send) {
  if (process.env.TICK !== '1') return;
  const began = performance.now();
  let step = 0;
  const timer = setInterval(() => {
    // Steps that a late timer missed are made up for, so that the rate holds.
    const due = Math.floor(((performance.now() - began) / 1000) * STEPS);
    const items = listOf();
    for (; step < due; step += 1) {
      for (let at = step % STEPS; at < items.length; at += STEPS) send(items[at]);
    }
  }, 1000 / STEPS);
  timer.unref();
}

/** A log message that says when it was made, in milliseconds since 1970. */
export function timedEvent() {
  return JSON.stringify({ jsonrpc: '2.0', ...timedNotification() });
}

/** The same without its envelope. */
export function timedNotification() {
  const t = performance.timeOrigin + performance.now();
  return { method: 'notifications/message', params: { level: 'info', data: { t } } };
}
