import type { SignIn } from "@berth/server";
import { BookOpen, Keyboard, LogOut, MessageSquare, PanelLeftClose } from "lucide-react";
import { Link, useLocation, useSearch } from "wouter";
import { base, signOut } from "../../api/index.ts";
import { classes, IconButton, Logo, ThemeMenu, useToast } from "../../ui/index.ts";
import { type ConsoleArea, GROUPS } from "../screens.tsx";
import { addressOf, areaAt } from "./current-screen.tsx";
import { WORDS } from "./words.ts";
import "./navigation.css";

type NavigationProps = {
  signIn: SignIn;
  onSignedOut: () => void;
  onShortcuts: () => void;
  onHide: () => void;
};

/** Where one can go. */
export function Navigation({ signIn, onSignedOut, onShortcuts, onHide }: NavigationProps) {
  return (
    <nav className="console-nav" aria-label={WORDS.console} data-testid="navigation">
      <div className="console-nav-head">
        <Logo size={26} />
        <span className="console-nav-name">{WORDS.berth}</span>
        <IconButton
          label={WORDS.hideTheNavigation}
          align="end"
          onClick={onHide}
          data-testid="hide-navigation"
        >
          <PanelLeftClose />
        </IconButton>
      </div>
      <Areas />
      <div className="console-nav-foot">
        <a className="console-nav-link" href={`${base}/`} data-testid="to-chat">
          <MessageSquare />
          {WORDS.chat}
        </a>
        <a className="console-nav-link" href={`${base}/docs`}>
          <BookOpen />
          {WORDS.apiReference}
        </a>
        <div className="console-nav-tools">
          <ThemeMenu />
          <IconButton label={WORDS.keyboardShortcuts} keys="?" onClick={onShortcuts}>
            <Keyboard />
          </IconButton>
          {signIn.required && <SignOutButton onSignedOut={onSignedOut} />}
        </div>
      </div>
    </nav>
  );
}

function Areas() {
  const [location] = useLocation();
  const search = useSearch();
  const current = areaAt(location);
  return (
    <div className="console-nav-areas">
      {GROUPS.map(({ name, areas }) => (
        <div key={name}>
          {name !== "" && <h2 className="console-nav-group">{name}</h2>}
          <ul>
            {areas.map((area) => (
              <li key={area.id}>
                <AreaLink area={area} search={search} isCurrent={area.id === current} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
}

type AreaLinkProps = { area: ConsoleArea; search: string; isCurrent: boolean };

function AreaLink({ area, search, isCurrent }: AreaLinkProps) {
  const at = new URLSearchParams(search).get("at");
  const address = addressOf(area);
  const href = area.ofProject && at ? `${address}?at=${encodeURIComponent(at)}` : address;
  return (
    <Link
      href={href}
      className={classes("console-nav-link", isCurrent && "console-nav-current")}
      aria-current={isCurrent ? "page" : undefined}
      data-testid={`nav-${area.id}`}
    >
      {area.icon}
      {area.label}
    </Link>
  );
}

function SignOutButton({ onSignedOut }: { onSignedOut: () => void }) {
  const toast = useToast();
  const leave = async () => {
    try {
      await signOut("/console");
    } catch {
      toast({ text: WORDS.signingOutFailed, look: "negative" });
    }
    onSignedOut();
  };
  return (
    <IconButton label={WORDS.signOut} onClick={leave} data-testid="sign-out" align="end">
      <LogOut />
    </IconButton>
  );
}
