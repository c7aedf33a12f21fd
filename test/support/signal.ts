/** How does one part of a test wait for another? */
export interface Signal {
  readonly given: Promise<void>;
  readonly give: () => void;
}

export function signal(): Signal {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => (give = resolve));
  return {
    given,
    give: () => {
      give();
    },
  };
}
