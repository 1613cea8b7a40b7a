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

/** Signs payments with a wallet's key. The key never leaves the object. */
export interface SigningWallet {
  readonly address: `0x${string}`;
  /**
   * Signs an authorization and adds the payment identifier for fetching its answer again. The same
   * authorization always gets the same signature and identifier.
   */
  sign(authorization: Authorization, accepted: PaymentRequirements): Promise<PaymentPayload>;
}

type Hex = `0x${string}`;

const KEY = /^(0x)?[0-9a-fA-F]{64}$/;
const OTHERS_PERMISSIONS = 0o077;

/**
 * Opens a wallet from a key file; creates the file with mode 0600 on first use.
 *
 * @throws {AppError} `CONFIG_INVALID` if the file has no valid key or other users can read it.
 */
export function openWalletFile(path: string): SigningWallet {
  if (!existsSync(path)) createKeyFile(path);
  if (process.platform !== 'win32' && (statSync(path).mode & OTHERS_PERMISSIONS) !== 0) {
    throw new AppError('CONFIG_INVALID', {
      message: 'Other users can read the wallet’s key file. Set its mode to 0600.',
      data: { file: path },
    });
  }
  return createSigningWallet(readFileSync(path, 'utf8'), path);
}

/**
 * Opens a wallet from a private key of 64 hex digits.
 *
 * @param source - Origin of the key, for the error; the error never contains the key.
 * @throws {AppError} `CONFIG_INVALID`
 */
export function createSigningWallet(key: string, source: string): SigningWallet {
  const text = key.trim();
  if (!KEY.test(text)) throw invalidKey(source);
  const account = parseAccount(text.startsWith('0x') ? (text as Hex) : `0x${text}`, source);
  return {
    address: account.address,
    sign: async (authorization, accepted) => {
      const { from, to, value, validAfter, validBefore, nonce } = authorization;
      const signature = await account.signTypedData({
        domain: {
          name: String(accepted.extra['name']),
          version: String(accepted.extra['version']),
          chainId: parseChainId(accepted.network),
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
      // A deterministic secret: only this wallet and the server know it.
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

/** Returns the chain id in a CAIP-2 name such as `eip155:8453`. */
export function parseChainId(network: string): number {
  return Number(network.split(':')[1]);
}

/** Drops the library's error message, because it may contain the key. */
function parseAccount(key: Hex, source: string): ReturnType<typeof privateKeyToAccount> {
  try {
    return privateKeyToAccount(key);
  } catch {
    throw invalidKey(source);
  }
}

/** Creates the key file atomically: of two concurrent writers, the first wins. */
function createKeyFile(path: string): void {
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

function invalidKey(source: string): AppError {
  return new AppError('CONFIG_INVALID', {
    message: 'The private key is not valid; it must be 64 hex digits.',
    data: { source },
  });
}
