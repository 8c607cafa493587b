/** As a component with a mistake in it. */
export function Failing(): never {
  throw new Error("this component has a mistake");
}
