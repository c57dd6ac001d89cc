// What each page of the console gives to main.ts.
import type { History } from "./history";

export interface Page {
  readonly name: string; // behind the # of the address
  readonly title: string;
  readonly element: HTMLElement;
  // Asked for news every so many milliseconds while it is shown, and at once when it comes to be.
  readonly every: number;
  refresh(history: History): Promise<void> | void;
  // 'rest': what follows the page's name in the address.
  shown?(rest: string): void;
}
