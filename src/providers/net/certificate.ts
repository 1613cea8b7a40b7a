import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { PeerCertificate } from '../../domain/net/egress.ts';

/** Returns the certificate of a socket's peer, or `undefined` without encryption. */
export function readCertificate(socket: Socket): PeerCertificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const { valid_from: from, valid_to: to } = socket.getPeerCertificate();
  const [validFrom, validTo] = [Date.parse(from ?? ''), Date.parse(to ?? '')];
  if (Number.isNaN(validFrom) || Number.isNaN(validTo)) return undefined;
  return {
    validFrom: new Date(validFrom).toISOString(),
    validTo: new Date(validTo).toISOString(),
  };
}
