import { createServer } from 'node:net';
import { AppError } from '../../domain/error.ts';

/** Says why an address could not be listened on. */
export function refusedAddress(cause: unknown, host: string, port: number): AppError {
  const { code } = cause as NodeJS.ErrnoException;
  const data = { host, port };
  if (code === 'EADDRINUSE') {
    const message = `Another process listens on port ${port} at ${host}.`;
    return new AppError('PORT_IN_USE', { message, data, cause });
  }
  const message = `The address ${host}:${port} cannot be listened on: ${code ?? String(cause)}.`;
  return new AppError('CONFIG_INVALID', { message, data, cause });
}

/** Finds out why an engine that gives no reason could not listen, by trying the same. */
export function whyRefused(host: string, port: number): Promise<AppError> {
  const server = createServer();
  return new Promise((done) => {
    server.once('error', (cause) => done(refusedAddress(cause, host, port)));
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => done(refusedAddress('the engine gave no reason', host, port)));
    });
  });
}
