import type { SignIn, Workspace } from "@berth/server";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { recall, remember } from "../../api/index.ts";
import { ConnectionBanner, Drawer, SkipLink, useWide } from "../../ui/index.ts";
import { chooseWorkspace, useRealtime, useResource, useWorkspace } from "../data/index.ts";
import { CommandPalette, ConsoleShortcuts, useConsoleKeys } from "./command-palette.tsx";
import { CurrentScreen, screenAt } from "./current-screen.tsx";
import { Header } from "./header.tsx";
import { Navigation } from "./navigation.tsx";
import { WORDS } from "./words.ts";
import "./frame.css";

type FrameProps = { signIn: SignIn; onSignedOut: () => void };

/** What is around every screen: the navigation, the header, what can be called up by keys. */
export function Frame({ signIn, onSignedOut }: FrameProps) {
  const workspaces = useWorkspaces();
  const [overlay, setOverlay] = useState<"palette" | "shortcuts">();
  const nav = useNavigationPlace();
  const { lostSince } = useRealtime();
  useConsoleKeys({ palette: () => setOverlay("palette"), shortcuts: () => setOverlay("shortcuts") });
  const main = useFocusOnArrival();
  const close = () => setOverlay(undefined);
  const navigation = (
    <Navigation
      signIn={signIn}
      onSignedOut={onSignedOut}
      onShortcuts={() => setOverlay("shortcuts")}
      onHide={nav.toggle}
    />
  );
  return (
    <div className="console">
      <SkipLink to="screen">{WORDS.skipToTheContent}</SkipLink>
      {nav.isOpen && nav.isDrawer && (
        <Drawer label={WORDS.navigation} onClose={nav.closeDrawer}>
          {navigation}
        </Drawer>
      )}
      {nav.isOpen && !nav.isDrawer && <div className="console-nav-place">{navigation}</div>}
      <div className="console-body">
        <Header
          workspaces={workspaces}
          onSearch={() => setOverlay("palette")}
          {...(!nav.isOpen && { onNavigation: nav.toggle })}
        />
        <main className="console-main" id="screen" tabIndex={-1} ref={main}>
          <CurrentScreen />
        </main>
        <ConnectionBanner lostSince={lostSince} comfort={WORDS.mayBeOld} />
      </div>
      {overlay === "palette" && <CommandPalette workspaces={workspaces} onClose={close} />}
      {overlay === "shortcuts" && <ConsoleShortcuts onClose={close} />}
    </div>
  );
}

/** Those that the key may use; when the one that is looked at is deleted, another takes its place. */
function useWorkspaces(): readonly Workspace[] {
  const { data = [] } = useResource<readonly Workspace[]>("/v1/workspaces", {
    live: ["keys"],
    anywhere: true,
  });
  const current = useWorkspace();
  const instead = data.some(({ id }) => id === current) ? undefined : data[0]?.id;
  useEffect(() => {
    if (instead !== undefined) chooseWorkspace(instead);
  }, [instead]);
  return data;
}

/** Beside the screen where there is room, and remembered; a drawer above it on a phone. */
function useNavigationPlace() {
  const isWide = useWide();
  const [location] = useLocation();
  const [isShown, setShown] = useState(() => recall<boolean>("console-nav") ?? true);
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  useEffect(() => remember("console-nav", isShown), [isShown]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever arrived somewhere has used the drawer.
  useEffect(() => setDrawerOpen(false), [location]);
  return {
    isOpen: isWide ? isShown : isDrawerOpen,
    isDrawer: !isWide,
    toggle: () => (isWide ? setShown(!isShown) : setDrawerOpen(!isDrawerOpen)),
    closeDrawer: () => setDrawerOpen(false),
  };
}

/** Another screen begins at its top, and with it whoever reads by keyboard or ear. Tabs of a screen are no other screen. */
function useFocusOnArrival() {
  const main = useRef<HTMLElement>(null);
  const [location] = useLocation();
  const place = screenAt(location);
  const before = useRef(place);
  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    main.current?.focus({ preventScroll: true });
    main.current?.scrollTo(0, 0);
  }, [place]);
  return main;
}
