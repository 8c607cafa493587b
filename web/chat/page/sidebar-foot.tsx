import type { SignIn } from "@berth/server";
import { BookOpen, Keyboard, LayoutDashboard, LogOut } from "lucide-react";
import { base, consoleAddress, signOut } from "../../api/index.ts";
import { IconButton, ThemeMenu, useToast } from "../../ui/index.ts";

type SidebarFootProps = { signIn: SignIn; onSignedOut: () => void; onShortcuts: () => void };

/** What concerns the whole page rather than a conversation. */
export function SidebarFoot({ signIn, onSignedOut, onShortcuts }: SidebarFootProps) {
  const toast = useToast();
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
      <ThemeMenu />
      <IconButton label="Keyboard shortcuts" keys="?" onClick={onShortcuts}>
        <Keyboard />
      </IconButton>
      <a className="icon-button" href={`${base}/docs`} aria-label="API reference" title="API reference">
        <BookOpen />
      </a>
      {signIn.has_console && (
        <a
          className="icon-button"
          href={consoleAddress}
          aria-label="Console"
          title="Console"
          data-testid="to-console"
        >
          <LayoutDashboard />
        </a>
      )}
      <span className="chat-header-gap" />
      {signIn.required && (
        <IconButton label="Sign out" onClick={leave} data-testid="sign-out" align="end">
          <LogOut />
        </IconButton>
      )}
    </>
  );
}
