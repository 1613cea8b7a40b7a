import { createServer } from 'node:net';
import { AppError } from '../../domain/common/error.ts';

const OTHER_HOST = 'Use --host 127.0.0.1, or another address of this machine';
/** Reasons and remedies by system error code. */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'this user may not use the port. Use --port 1024 or higher',
  EPERM: 'this user may not use the port. Use --port 1024 or higher',
  EADDRNOTAVAIL: `no interface of this machine has it. ${OTHER_HOST}`,
  EAFNOSUPPORT: `this machine has no addresses of this kind. ${OTHER_HOST}`,
  EINVAL: `it is incomplete. ${OTHER_HOST}`,
  ENOTFOUND: `the host name is unknown. ${OTHER_HOST}`,
  EAI_AGAIN: `the host name cannot be resolved now. ${OTHER_HOST}`,
};

/** Builds the error that explains why the server could not listen on an address. */
export function listenError(cause: unknown, host: string, port: number): AppError {
  const { code } = cause as NodeJS.ErrnoException;
  const data = { host, port };
  if (code === 'EADDRINUSE') {
    const message = `Another process listens on port ${port} at ${host}.`;
    return new AppError('PORT_IN_USE', { message, data, cause });
  }
  const remedy = REMEDIES[code ?? ''];
  const reason = remedy === undefined ? (code ?? String(cause)) : `${remedy} (${code})`;
  const message = `Cannot listen on ${host}:${port}: ${reason}.`;
  return new AppError('CONFIG_INVALID', { message, data, cause });
}

/** Repeats a failed `listen` to find the reason, for an engine that reports none. */
export function findListenError(host: string, port: number): Promise<AppError> {
  const server = createServer();
  return new Promise((done) => {
    server.once('error', (cause) => done(listenError(cause, host, port)));
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => done(listenError('the engine gave no reason', host, port)));
    });
  });
}
