import { createSign, generateKeyPairSync } from 'node:crypto';

/** A fresh key with a certificate for `127.0.0.1` that nobody vouches for. */
export function selfSigned(): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const algorithm = sequence(oid('2a8648ce3d040302'));
  const name = sequence(tagged(0x31, sequence(oid('550403'), tagged(0x0c, Buffer.from('test')))));
  const validity = sequence(utcTime('200101000000Z'), utcTime('491231235959Z'));
  const serial = tagged(0x02, Buffer.from([1]));
  const body = sequence(serial, algorithm, name, validity, name, spki);
  const signature = createSign('sha256').update(body).sign(privateKey);
  const bits = tagged(0x03, Buffer.concat([Buffer.from([0]), signature]));
  const der = sequence(body, algorithm, bits).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----\n`,
  };
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'));
}

function utcTime(text: string): Buffer {
  return tagged(0x17, Buffer.from(text));
}
