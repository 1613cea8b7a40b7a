// Loaded into a server before anything else: its computer's clock is wrong by so many milliseconds.
const byMs = Number(process.env.MOVED_CLOCK_MS ?? 0);
const realNow = Date.now;
const RealDate = Date;

class MovedDate extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(realNow() + byMs);
    else super(...parts);
  }

  static now() {
    return realNow() + byMs;
  }
}

globalThis.Date = MovedDate;
