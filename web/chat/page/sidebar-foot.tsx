import { BookOpen, Keyboard, LogOut, Monitor, Moon, Sun } from "lucide-react";
import { useState } from "react";
import { base, type SignIn, signOut } from "../../api/index.ts";
import { IconButton, Menu, useToast } from "../../ui/index.ts";
import { chooseTheme, storedTheme, type Theme } from "../../ui/theme.ts";

const THEMES: { theme: Theme; label: string; icon: React.ReactNode }[] = [
  { theme: "system", label: "System", icon: <Monitor /> },
  { theme: "light", label: "Light", icon: <Sun /> },
  { theme: "dark", label: "Dark", icon: <Moon /> },
];

type SidebarFootProps = { signIn: SignIn; onSignedOut: () => void; onShortcuts: () => void };

/** What concerns the whole page rather than a conversation. */
export function SidebarFoot({ signIn, onSignedOut, onShortcuts }: SidebarFootProps) {
  const [theme, setTheme] = useState(storedTheme);
  const toast = useToast();
  const choose = (chosen: Theme) => {
    chooseTheme(chosen);
    setTheme(chosen);
  };
  const leave = async () => {
    try {
      await signOut();
    } catch {
      toast({ text: "Signing out failed. Try again in a moment.", look: "negative" });
    }
    onSignedOut();
  };
  return (
    <>
      <Menu
        label="Theme"
        testId="theme-switch"
        icon={THEMES.find((entry) => entry.theme === theme)?.icon}
        items={THEMES.map((entry) => ({
          label: entry.label,
          icon: entry.icon,
          checked: entry.theme === theme,
          testId: `theme-${entry.theme}`,
          onSelect: () => choose(entry.theme),
        }))}
      />
      <IconButton label="Keyboard shortcuts" keys="?" onClick={onShortcuts}>
        <Keyboard />
      </IconButton>
      <a className="icon-button" href={`${base}/docs`} aria-label="API reference" title="API reference">
        <BookOpen />
      </a>
      <span className="chat-header-gap" />
      {signIn.required && (
        <IconButton label="Sign out" onClick={leave} data-testid="sign-out" align="end">
          <LogOut />
        </IconButton>
      )}
    </>
  );
}
