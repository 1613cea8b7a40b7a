import type { ContractAddresses } from './deploy.ts';

const BASE = 8_453;
const BASE_SEPOLIA = 84_532;

/** Returns the public ERC-8004 deployments on a chain, in lower case. */
export function publicContracts(chainId: number): ContractAddresses {
  switch (chainId) {
    case BASE:
      return {
        identity: '0x8004a169fb4a3325136eb29fa0ceb6d2e539a432',
        reputation: '0x8004baa17c55a88189ae136b182e5fda19de9b63',
      };
    case BASE_SEPOLIA:
      return {
        identity: '0x8004a818bfb912233c491871b3d84c89a494bd9e',
        reputation: '0x8004b663056a597dffe9eccc1965a193b7388713',
        validation: '0x8004cb1bf31daf7788923b405b754f57aceb4272',
      };
    default:
      return {};
  }
}
