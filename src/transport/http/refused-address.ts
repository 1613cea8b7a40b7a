import { createServer } from 'node:net';
import { AppError } from '../../domain/common/error.ts';

const OTHER_HOST = 'Use --host 127.0.0.1, or another address of this machine';
/** Reasons and remedies by system error code. */
const CURES: Readonly<Record<string, string>> = {
  EACCES: 'this user may not use the port. Use --port 1024 or higher',
  EPERM: 'this user may not use the port. Use --port 1024 or higher',
  EADDRNOTAVAIL: `no interface of this machine has it. ${OTHER_HOST}`,
  EAFNOSUPPORT: `this machine has no addresses of this kind. ${OTHER_HOST}`,
  EINVAL: `it is incomplete. ${OTHER_HOST}`,
  ENOTFOUND: `the host name is unknown. ${OTHER_HOST}`,
  EAI_AGAIN: `the host name cannot be resolved now. ${OTHER_HOST}`,
};

/** Builds the error that explains why the server could not listen on an address. */
export function refusedAddress(cause: unknown, host: string, port: number): AppError {
  const { code } = cause as NodeJS.ErrnoException;
  const data = { host, port };
  if (code === 'EADDRINUSE') {
    const message = `Another process listens on port ${port} at ${host}.`;
    return new AppError('PORT_IN_USE', { message, data, cause });
  }
  const cure = CURES[code ?? ''];
  const why = cure === undefined ? (code ?? String(cause)) : `${cure} (${code})`;
  const message = `Cannot listen on ${host}:${port}: ${why}.`;
  return new AppError('CONFIG_INVALID', { message, data, cause });
}

/** Repeats a failed `listen` to find the reason, for an engine that reports none. */
export function whyRefused(host: string, port: number): Promise<AppError> {
  const server = createServer();
  return new Promise((done) => {
    server.once('error', (cause) => done(refusedAddress(cause, host, port)));
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => done(refusedAddress('the engine gave no reason', host, port)));
    });
  });
}
