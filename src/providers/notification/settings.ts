import { AppError } from '../../domain/common/error.ts';
import { trimEndChars } from '../../domain/common/text.ts';

/** The settings for outgoing mail. */
export interface MailSettings {
  readonly host: string;
  readonly port: number;
  /** Whether TLS starts with the first byte. Otherwise it is used if the server offers it. */
  readonly isSecure: boolean;
  /** Whether mail is refused without TLS. */
  readonly needsTls: boolean;
  readonly user: string | null;
  readonly password: string | null;
  readonly from: string;
  readonly to: string;
}

/** The settings of the WhatsApp Cloud API. */
export interface WhatsappSettings {
  readonly baseUrl: string;
  readonly phoneId: string;
  readonly token: string;
  /** The operator's number, digits only. */
  readonly to: string;
  /** A template with one text parameter, which can open a conversation. `null` for plain text. */
  readonly template: { readonly name: string; readonly language: string } | null;
}

/** The configured channels, and the missing variables of the others. */
export interface NotificationSettings {
  readonly mail: MailSettings | null;
  readonly whatsapp: WhatsappSettings | null;
  readonly missing: { readonly email: readonly string[]; readonly whatsapp: readonly string[] };
}

/** The source of the settings. */
export interface SettingsSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads a secret from the variable, or from the file named by `<name>_FILE`. */
  secret(name: string): string | undefined;
}

const CLOUD_API = 'https://graph.facebook.com/v21.0';
const MAIL_VARIABLES = ['STOA_SMTP_URL', 'STOA_OPERATOR_EMAIL', 'STOA_SENDER_EMAIL'] as const;
const WHATSAPP_VARIABLES = [
  'STOA_OPERATOR_WHATSAPP',
  'STOA_WHATSAPP_TOKEN',
  'STOA_WHATSAPP_PHONE_ID',
] as const;
const EMAIL_ADDRESS = /^[^\s<>@,]+@[^\s<>@,]+$/;

/**
 * Reads the notification settings of the operator. All are optional. A channel works once all of
 * its variables are set.
 *
 * @throws {AppError} `CONFIG_INVALID` for a variable with an invalid value.
 */
export function readNotificationSettings(source: SettingsSource): NotificationSettings {
  const value = (name: string): string => source.env[name] ?? '';
  const smtpUrl = source.secret('STOA_SMTP_URL') ?? '';
  const token = source.secret('STOA_WHATSAPP_TOKEN') ?? '';
  const secrets = new Map([
    ['STOA_SMTP_URL', smtpUrl],
    ['STOA_WHATSAPP_TOKEN', token],
  ]);
  const isSet = (name: string): boolean => (secrets.get(name) ?? value(name)) !== '';
  const missing = {
    email: MAIL_VARIABLES.filter((name) => !isSet(name)),
    whatsapp: WHATSAPP_VARIABLES.filter((name) => !isSet(name)),
  };
  return {
    mail:
      missing.email.length > 0
        ? null
        : {
            ...readSmtpUrl(smtpUrl),
            from: readAddress('STOA_SENDER_EMAIL', value('STOA_SENDER_EMAIL')),
            to: readAddress('STOA_OPERATOR_EMAIL', value('STOA_OPERATOR_EMAIL')),
          },
    whatsapp: missing.whatsapp.length > 0 ? null : readWhatsapp(value, token),
    missing,
  };
}

function readSmtpUrl(text: string): Omit<MailSettings, 'from' | 'to'> {
  const allowed = 'smtp://user:password@host:port, or smtps://';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    throw invalidSetting('STOA_SMTP_URL', null, allowed);
  }
  const isSecure = url.protocol === 'smtps:';
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
    isSecure,
    needsTls: url.searchParams.get('tls') === 'required',
    user: url.username === '' ? null : decodeURIComponent(url.username),
    password: url.password === '' ? null : decodeURIComponent(url.password),
  };
}

function readWhatsapp(value: (name: string) => string, token: string): WhatsappSettings {
  const phoneId = value('STOA_WHATSAPP_PHONE_ID');
  const to = value('STOA_OPERATOR_WHATSAPP').replace(/^(whatsapp:)?\+?/, '');
  const base = value('STOA_WHATSAPP_URL');
  if (!/^\d{6,20}$/.test(to)) {
    throw invalidSetting('STOA_OPERATOR_WHATSAPP', to, 'a phone number such as +4915112345678');
  }
  if (!/^\d{1,30}$/.test(phoneId)) {
    throw invalidSetting(
      'STOA_WHATSAPP_PHONE_ID',
      phoneId,
      'the id of the sending number, in digits',
    );
  }
  if (base !== '' && !URL.canParse(base)) {
    throw invalidSetting('STOA_WHATSAPP_URL', base, 'an absolute https URL');
  }
  const [name = '', language = 'en_US'] = value('STOA_WHATSAPP_TEMPLATE').split(':');
  return {
    baseUrl: base === '' ? CLOUD_API : trimEndChars(base, '/'),
    phoneId,
    token,
    to,
    template: name === '' ? null : { name, language },
  };
}

function readAddress(name: string, text: string): string {
  if (EMAIL_ADDRESS.test(text)) return text;
  throw invalidSetting(name, text, 'one email address');
}

/** An invalid server URL may contain a password, so it is never repeated. */
function invalidSetting(name: string, received: string | null, allowed: string): AppError {
  const receivedText = received === null ? 'invalid' : JSON.stringify(received);
  return new AppError('CONFIG_INVALID', {
    message: `${name} is ${receivedText}; it must be ${allowed}.`,
    data: { name, allowed, ...(received === null ? {} : { received }) },
  });
}
