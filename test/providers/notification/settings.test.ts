import { expect, test } from 'vitest';
import { AppError } from '../../../src/domain/common/error.ts';
import { createEgress } from '../../../src/providers/net/egress.ts';
import { createNotifier } from '../../../src/providers/notification/notifier.ts';
import { readNotificationSettings } from '../../../src/providers/notification/settings.ts';
import { systemClock } from '../../../src/runtime/timer/clock.ts';
import { MAIL_LOGIN, startMailServer } from '../../support/mail-server.ts';
import { startOutside } from '../../support/outside.ts';

const MAIL = {
  STOA_SMTP_URL: 'smtp://user:p%40ss@mail.example.org',
  STOA_OPERATOR_EMAIL: 'operator@example.org',
  STOA_SENDER_EMAIL: 'stoa@example.org',
};
const WHATSAPP = {
  STOA_OPERATOR_WHATSAPP: 'whatsapp:+4915112345678',
  STOA_WHATSAPP_TOKEN: 'token',
  STOA_WHATSAPP_PHONE_ID: '123456',
};
const text = { title: 'title', text: 'text' } as const;
const { signal } = new AbortController();

function read(env: Readonly<Record<string, string>>) {
  return readNotificationSettings({ env, secret: (name) => env[name] });
}

function notifierOf(env: Readonly<Record<string, string>>, reach: readonly string[] = []) {
  const clock = systemClock();
  const egress = createEgress({ clock, userAgent: 'stoa/test', allowHosts: reach });
  return createNotifier({
    settings: read(env),
    egress,
    secretOf: () => 's',
    sealer: { open: (text) => text },
    now: clock.now,
  });
}

async function failure(promise: Promise<unknown>): Promise<AppError> {
  return promise.then(
    () => new AppError('INTERNAL', { message: 'it did not fail' }),
    (thrown: unknown) => thrown as AppError,
  );
}

test('nothing is needed, and what is missing is named', () => {
  const none = read({});
  expect([none.mail, none.whatsapp]).toEqual([null, null]);
  expect(none.missing).toEqual({ email: Object.keys(MAIL), whatsapp: Object.keys(WHATSAPP) });
  const { STOA_SMTP_URL: _url, ...rest } = MAIL;
  expect(read(rest).missing.email).toEqual(['STOA_SMTP_URL']);
});

test('a mail server is read with port, TLS and login', () => {
  expect(read(MAIL).mail).toMatchObject({
    host: 'mail.example.org',
    port: 587,
    isSecure: false,
    needsTls: false,
    user: 'user',
    password: 'p@ss',
  });
  const secure = read({ ...MAIL, STOA_SMTP_URL: 'smtps://mail.example.org' }).mail;
  expect(secure).toMatchObject({ port: 465, isSecure: true, user: null });
  const forced = read({ ...MAIL, STOA_SMTP_URL: 'smtp://[::1]:2525?tls=required' }).mail;
  expect(forced).toMatchObject({ host: '::1', port: 2525, needsTls: true });
});

test('a number of the messenger is read with and without prefix, a template with its language', () => {
  expect(read(WHATSAPP).whatsapp).toMatchObject({ to: '4915112345678', template: null });
  const named = read({ ...WHATSAPP, STOA_WHATSAPP_TEMPLATE: 'stoa_p0:de' }).whatsapp;
  expect(named?.template).toEqual({ name: 'stoa_p0', language: 'de' });
});

test('a variable that cannot be is refused by name, and a password is never repeated', () => {
  const wrong: readonly Readonly<Record<string, string>>[] = [
    { ...MAIL, STOA_SMTP_URL: 'http://user:secret-word@x' },
    { ...MAIL, STOA_OPERATOR_EMAIL: 'a@b.org, c@d.org' },
    { ...MAIL, STOA_SENDER_EMAIL: 'nobody' },
    { ...WHATSAPP, STOA_OPERATOR_WHATSAPP: 'me' },
    { ...WHATSAPP, STOA_WHATSAPP_PHONE_ID: '../x' },
    { ...WHATSAPP, STOA_WHATSAPP_URL: 'nowhere' },
  ];
  for (const env of wrong) {
    expect(() => read(env)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(() => read(env)).not.toThrow(/secret-word/);
  }
});

test('a channel that is not set up says NOT_CONFIGURED and what it lacks', async () => {
  const notifier = notifierOf({});
  for (const kind of ['email', 'whatsapp'] as const) {
    const error = await failure(notifier.send({ ...text, kind }, { key: 'k', signal }));
    expect([error.code, error.data['missing']]).toEqual(['NOT_CONFIGURED', notifier.missing[kind]]);
  }
});

test('a mail server that refuses, wants another password or is gone: each a failed try', async () => {
  const server = await startMailServer();
  const { user, password } = MAIL_LOGIN;
  const urlOf = (login: string) => `smtp://${login}@127.0.0.1:${server.port}`;
  const send = (url: string) =>
    failure(
      notifierOf({ ...MAIL, STOA_SMTP_URL: url }).send(
        { ...text, kind: 'email' },
        { key: 'k', signal },
      ),
    );
  server.refuse(1, 451);
  const refused = await send(urlOf(`${user}:${password}`));
  expect([refused.code, refused.data['status']]).toEqual(['EGRESS_FAILED', 451]);
  const locked = await send(urlOf(`${user}:wrong-word`));
  expect([locked.code, locked.data['code']]).toEqual(['EGRESS_FAILED', 'EAUTH']);
  expect(JSON.stringify([locked.message, locked.data])).not.toContain('wrong-word');
  expect((await send(urlOf(`${user}:${password}`))).message).toBe('it did not fail');
  await server.close();
  expect((await send(urlOf(`${user}:${password}`))).code).toBe('EGRESS_FAILED');
  expect(server.mails).toHaveLength(1);
});

test('a line break in a title cannot add a header to the mail', async () => {
  const server = await startMailServer();
  const { user, password } = MAIL_LOGIN;
  const env = { ...MAIL, STOA_SMTP_URL: `smtp://${user}:${password}@127.0.0.1:${server.port}` };
  const title = 'a\r\nBcc: other@example.org\r\n\r\nbody';
  await notifierOf(env).send({ kind: 'email', title, text: 'x' }, { key: 'k', signal });
  expect(server.mails[0]?.to).toEqual(['operator@example.org']);
  expect(server.mails[0]?.raw).not.toMatch(/^Bcc:/m);
  await server.close();
});

test('a template is filled in one line; a refusal of the messenger is a failed try', async () => {
  const outside = await startOutside();
  const env = { ...WHATSAPP, STOA_WHATSAPP_URL: outside.url, STOA_WHATSAPP_TEMPLATE: 'p0' };
  const notifier = notifierOf(env, [outside.host]);
  const send = () => notifier.send({ ...text, kind: 'whatsapp' }, { key: 'k', signal });
  outside.answer(200, '{"messages":[{"id":"wamid.7"}]}');
  expect(await send()).toBe('wamid.7');
  expect(JSON.parse(outside.taken[0]?.body ?? '{}').template).toEqual({
    name: 'p0',
    language: { code: 'en_US' },
    components: [{ type: 'body', parameters: [{ type: 'text', text: 'title text' }] }],
  });
  for (const [status, body] of [
    [401, '{}'],
    [200, 'no json'],
    [200, '{}'],
  ] as const) {
    outside.answer(status, body);
    expect((await failure(send())).code).toBe('EGRESS_FAILED');
  }
  await outside.close();
});
