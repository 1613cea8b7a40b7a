/** What the proofs and public events of a passport are found by. */
export function passportRef(name: string): string {
  return `passport:${name}`;
}
