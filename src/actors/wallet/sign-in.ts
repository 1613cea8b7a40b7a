import { AppError } from '../../domain/common/error.ts';
import {
  buildSignInExtension,
  buildSignInText,
  parseSignIn,
  SIGN_IN_MS,
  type SignIn,
  type SignInProof,
} from '../../domain/wallet/sign-in.ts';
import type { WalletNonces } from '../../domain/wallet/wallet-nonces.ts';
import type { Services } from '../common/services.ts';

type Ports = Pick<Services, 'chain' | 'clock' | 'origins' | 'random' | 'trust'> & {
  readonly nonces: WalletNonces;
};

/** Bytes of a nonce. */
const NONCE_BYTES = 16;

/**
 * Creates the sign-in of wallets. A proof is valid for one path of this server's own origin, never
 * for the host that a request names, for five minutes and for one answer.
 */
export function createSignIn(parts: Ports): SignIn {
  const { chain, clock, random } = parts;
  const { network } = chain.facts;
  return {
    offer: (url) => {
      const nonce = Buffer.from(random.bytes(NONCE_BYTES)).toString('hex');
      return buildSignInExtension({ url, network, nonce, now: clock.now() });
    },
    prove: async ({ header, path }) => {
      const proof = parseSignIn(header);
      assertOwn(proof, { origins: parts.origins(), network, path });
      assertTime(proof, clock.now());
      await assertSigned(parts, proof);
      const wallet = proof.address.toLowerCase();
      return { wallet, spend: () => spendNonce(parts, proof) };
    },
  };
}

function assertOwn(
  { chainId, domain, uri }: SignInProof,
  own: { readonly origins: readonly string[]; readonly network: string; readonly path: string },
): void {
  const origin = own.origins.find((each) => new URL(each).host === domain);
  const isHere = origin !== undefined && uri === `${origin}${own.path}`;
  if (isHere && chainId === own.network) return;
  throw new AppError('WALLET_ORIGIN', {
    data: {
      received: { domain, uri, chainId },
      allowed: { uri: own.origins.map((each) => `${each}${own.path}`), chainId: own.network },
    },
  });
}

function assertTime({ issuedAt, expirationTime, notBefore }: SignInProof, now: number): void {
  const ageMs = now - Date.parse(issuedAt);
  const isOver = expirationTime !== undefined && Date.parse(expirationTime) <= now;
  const isEarly = notBefore !== undefined && Date.parse(notBefore) > now;
  if (ageMs >= 0 && ageMs <= SIGN_IN_MS && !isOver && !isEarly) return;
  throw new AppError('WALLET_EXPIRED', {
    message: 'The sign-in is not valid now. Sign the challenge of a new request.',
    data: {
      received: { issuedAt, expirationTime, notBefore },
      allowed: { now: new Date(now).toISOString(), age_s_max: SIGN_IN_MS / 1_000 },
    },
  });
}

async function assertSigned({ trust }: Ports, proof: SignInProof): Promise<void> {
  const { address, signature } = proof;
  const text = buildSignInText(proof);
  if (await trust.isSignedBy(address.toLowerCase(), text, signature)) return;
  throw new AppError('WALLET_FORGED', {
    message: 'The signature of the sign-in does not match its wallet and its text.',
    data: { received: { address }, allowed: { text } },
  });
}

/** Two uses of one proof differ in their digest, so the second finds the nonce taken. */
async function spendNonce({ clock, nonces, random }: Ports, proof: SignInProof): Promise<void> {
  const digest = Buffer.from(random.bytes(NONCE_BYTES)).toString('hex');
  const wallet = proof.address.toLowerCase();
  const nonce = `sign-in ${proof.nonce.toLowerCase()}`;
  const expiresAt = Date.parse(proof.issuedAt) + SIGN_IN_MS + 1;
  const bound = await nonces.bind({ wallet, nonce, digest, expiresAt }, clock.now());
  if (bound === digest) return;
  throw new AppError('WALLET_NONCE_USED', {
    data: { received: { wallet, nonce: proof.nonce }, allowed: 'the nonce of a new challenge' },
  });
}
