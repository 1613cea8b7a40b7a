import { randomBytes } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { AppError } from '../../domain/common/error.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import {
  type Authorization,
  PAYMENT_IDENTIFIER_EXTENSION,
  type PaymentPayload,
  type PaymentRequirements,
  X402_VERSION,
} from '../../domain/payment/payment.ts';
import { TRANSFER_TERMS } from '../../domain/wallet/transfer-terms.ts';

/** A key that signs payments. The key itself never leaves the object. */
export interface SigningWallet {
  readonly address: `0x${string}`;
  /**
   * Signs an authorization, and adds the payment identifier by which its answer may be fetched
   * again. The same one gets the same signature and identifier, at any time.
   */
  sign(authorization: Authorization, accepted: PaymentRequirements): Promise<PaymentPayload>;
}

type Hex = `0x${string}`;

const KEY = /^(0x)?[0-9a-fA-F]{64}$/;
const OTHERS = 0o077;

/**
 * Opens the wallet of a key file, made with mode 0600 on first use.
 *
 * @throws {AppError} `CONFIG_INVALID` when the file holds no key or others may read it.
 */
export function openWalletFile(path: string): SigningWallet {
  if (!existsSync(path)) makeKey(path);
  if (process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0) {
    throw new AppError('CONFIG_INVALID', {
      message: 'Others can read the key file of the wallet; set its mode to 0600.',
      data: { file: path },
    });
  }
  return openWallet(readFileSync(path, 'utf8'), path);
}

/**
 * Opens the wallet of a private key: 64 hex digits.
 *
 * @param source - Where the key is from, for the error: the key is never told.
 * @throws {AppError} `CONFIG_INVALID`
 */
export function openWallet(key: string, source: string): SigningWallet {
  const text = key.trim();
  if (!KEY.test(text)) throw noKey(source);
  const account = accountOf(text.startsWith('0x') ? (text as Hex) : `0x${text}`, source);
  return {
    address: account.address,
    sign: async (authorization, accepted) => {
      const { from, to, value, validAfter, validBefore, nonce } = authorization;
      const signature = await account.signTypedData({
        domain: {
          name: String(accepted.extra['name']),
          version: String(accepted.extra['version']),
          chainId: chainIdOf(accepted.network),
          verifyingContract: accepted.asset as Hex,
        },
        types: { TransferWithAuthorization: TRANSFER_TERMS },
        primaryType: 'TransferWithAuthorization',
        message: {
          from: from as Hex,
          to: to as Hex,
          value: BigInt(value),
          validAfter: BigInt(validAfter),
          validBefore: BigInt(validBefore),
          nonce: nonce as Hex,
        },
      });
      // Known to this wallet and the server only, and the same whenever it is asked for.
      const secret = await account.signMessage({ message: `Payment identifier of ${nonce}` });
      const info = { required: false, id: `pay_${sha256Hex(secret)}` };
      return {
        x402Version: X402_VERSION,
        accepted,
        payload: { signature, authorization },
        extensions: { [PAYMENT_IDENTIFIER_EXTENSION]: { info } },
      };
    },
  };
}

/** The chain's number in a CAIP-2 name such as `eip155:8453`. */
export function chainIdOf(network: string): number {
  return Number(network.split(':')[1]);
}

/** What the library says of a bad key is kept out of the error, should it name the key. */
function accountOf(key: Hex, source: string): ReturnType<typeof privateKeyToAccount> {
  try {
    return privateKeyToAccount(key);
  } catch {
    throw noKey(source);
  }
}

/** Linked into place whole: of two that make one at once, the first wins and both read it. */
function makeKey(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${randomBytes(8).toString('hex')}`;
  writeFileSync(fresh, `${generatePrivateKey()}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(fresh, path);
  } catch (cause) {
    if (!existsSync(path)) throw cause;
  } finally {
    rmSync(fresh, { force: true });
  }
}

function noKey(source: string): AppError {
  return new AppError('CONFIG_INVALID', {
    message: 'The wallet has no readable key: 64 hex digits are needed.',
    data: { source },
  });
}
