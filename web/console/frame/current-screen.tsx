import { Suspense, useEffect, useState } from "react";
import { Link, matchRoute, Route, Switch, useLocation, useRouter } from "wouter";
import { Failsafe } from "../../ui/index.ts";
import { AREAS, type ConsoleArea } from "../screens.tsx";
import { Empty, Loading, Problem } from "../ui/index.ts";
import { WORDS } from "./words.ts";

const SCREENS = AREAS.flatMap(({ screens }) => screens);

/** The screen that the address names. */
export function CurrentScreen() {
  const [location] = useLocation();
  return (
    <Failsafe key={screenAt(location)} failed={broken}>
      <Suspense fallback={<Loading />}>
        <Switch>
          {SCREENS.map(({ path, component }) => (
            <Route key={path} path={path} component={component} />
          ))}
          <Route>
            <Empty
              title={WORDS.pageNotFound}
              text={WORDS.deletedOrWrongAddress}
              action={<Link href="/">{WORDS.toTheOverview}</Link>}
            />
          </Route>
        </Switch>
      </Suspense>
    </Failsafe>
  );
}

/**
 * Fetches the code of the screen that the address names while the server is still asked who looks at it, so that
 * nobody waits for one behind the other.
 */
export function useScreenCode(): void {
  const { parser } = useRouter();
  const [location] = useLocation();
  const [first] = useState(location);
  useEffect(() => {
    const screen = SCREENS.find(({ path }) => matchRoute(parser, path, first)[0]);
    // Where it cannot be loaded, the screen says so once it is drawn.
    screen?.component.load().catch(() => {});
  }, [parser, first]);
}

/** What is said of a screen that breaks, or that cannot be loaded. */
const broken = (message: string) => (
  <Problem error={{ status: 0, message }} retry={() => window.location.reload()} />
);

const areas = new Map(
  AREAS.flatMap(({ id, screens }) => screens.map(({ path }) => [path.split("/")[1] ?? "", id])),
);
const ofProject = new Set(AREAS.filter(({ ofProject }) => ofProject).map(addressOf));

/** Where an entry of the navigation leads. */
export function addressOf({ screens: [first] }: ConsoleArea): string {
  return first.path;
}

/** The entry of the navigation that an address below `/console` belongs to. */
export const areaAt = (location: string): string | undefined => areas.get(location.split("/")[1] ?? "");

/** Whether the screen there looks at one project. */
export const isOfProject = (location: string): boolean => ofProject.has(location);

/** What stays the same on all parts of a screen: `/deployments/1` of `/deployments/1/logs`. */
export const screenAt = (location: string): string => location.split("/").slice(0, 3).join("/");
