/** Returns the verdict on a file that fails its verification, with the reason in words. */
export function invalidVerdict(reason: string) {
  return { isValid: false, reason } as const;
}
