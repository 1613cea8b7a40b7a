import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail as it came in. */
export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and text, as they were sent. */
  readonly raw: string;
}

/** A real SMTP server on loopback that wants a password. */
export interface MailServer {
  readonly port: number;
  readonly mails: TakenMail[];
  /** Refuses so many mails with a code. */
  refuse(times: number, code: number): void;
  close(): Promise<void>;
}

/** Who may send there. */
export const MAIL_LOGIN = { user: 'stoa', password: 'let-me-in' } as const;

/** Starts the server. */
export async function startMailServer(): Promise<MailServer> {
  const mails: TakenMail[] = [];
  const refusing = { times: 0, code: 0 };
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) => {
      const isKnown = username === MAIL_LOGIN.user && password === MAIL_LOGIN.password;
      if (isKnown) done(null, { user: username });
      else done(new Error('wrong password'));
    },
    onData: (stream, { envelope }, done) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        if (refusing.times > 0) {
          refusing.times -= 1;
          done(Object.assign(new Error('come again later'), { responseCode: refusing.code }));
          return;
        }
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ from, to, raw: Buffer.concat(parts).toString('utf8') });
        done(null, 'taken');
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    refuse: (times, code) => Object.assign(refusing, { times, code }),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
      }),
  };
}
