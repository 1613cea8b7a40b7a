import { connect, type Socket } from 'node:net';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { TextMessage } from '../../domain/notification/notifier.ts';
import type { MailSettings } from './settings.ts';

const CONNECT_MS = 10 * SECOND_MS;
const SILENCE_MS = 20 * SECOND_MS;
/** Timeout of one mail. The socket timeout restarts with every reply, so it is not enough. */
const MAIL_MS = 60 * SECOND_MS;
/** Most bytes of one reply of the server. */
export const REPLY_BYTES_MAX = 65_536;
const TITLE_CHARS_MAX = 150;

/**
 * Sends one mail through the operator's server. The key becomes the Message-ID, so that a repeat
 * after a lost answer is recognizable.
 *
 * @returns The server's reply.
 * @throws {AppError} `EGRESS_FAILED` with the server's answer, `EGRESS_TIMEOUT`
 */
export async function sendMail(
  settings: MailSettings,
  notice: TextMessage,
  messageId: string,
): Promise<string> {
  // Loaded with the first mail, because most servers never send one.
  const { createTransport } = await import('nodemailer');
  const { host, port, isSecure, needsTls, user, password, from, to } = settings;
  let socket: Socket | undefined;
  const late = setTimeout(() => {
    socket?.destroy(Object.assign(new Error('too late'), { code: 'ETIMEDOUT' }));
  }, MAIL_MS);
  const transport = createTransport({
    host,
    port,
    getSocket: (_options, give) => {
      socket = connect({ host, port });
      socket.once('error', give);
      const opened = socket;
      socket.once('connect', () => {
        opened.off('error', give);
        give(null, { connection: opened });
      });
    },
    maxResponseSize: REPLY_BYTES_MAX,
    secure: isSecure,
    requireTLS: needsTls,
    ...(user === null ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
  });
  try {
    const { response } = await transport.sendMail({
      from,
      to,
      subject: notice.title.replaceAll(/\s+/g, ' ').slice(0, TITLE_CHARS_MAX),
      text: notice.text,
      messageId: `<${messageId}@${from.split('@').at(-1) ?? 'stoa'}>`,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    return response.slice(0, 200);
  } catch (cause) {
    throw toMailError(cause);
  } finally {
    clearTimeout(late);
    socket?.destroy();
    transport.close();
  }
}

/** Passes on only the code of a server's reply: its text may repeat credentials. */
function toMailError(cause: unknown): AppError {
  const { code = 'EUNKNOWN', responseCode } = cause as { code?: string; responseCode?: number };
  const isLate = code === 'ETIMEDOUT';
  const answer = responseCode === undefined ? code : `${code}, ${responseCode}`;
  return new AppError(isLate ? 'EGRESS_TIMEOUT' : 'EGRESS_FAILED', {
    message: `The mail server rejected the mail (${answer}).`,
    data: { kind: 'smtp', code, ...(responseCode === undefined ? {} : { status: responseCode }) },
    cause,
  });
}
