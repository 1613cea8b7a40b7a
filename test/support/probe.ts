import { connect } from 'node:net';

/** Tells whether anybody listens on a local socket. */
export function isAnswered(address: string): Promise<boolean> {
  return new Promise((done) => {
    const probe = connect(address, () => {
      probe.destroy();
      done(true);
    });
    probe.on('error', () => done(false));
  });
}
