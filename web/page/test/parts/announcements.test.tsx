/** A ladder's page shows what was announced as it was written, and where all of it can be followed. */
import { create } from "@bufbuild/protobuf";
import { render } from "preact";
import { act } from "preact/test-utils";
import { beforeAll, expect, test, vi } from "vitest";
import { arena } from "~/api/arena";
import { type Announcement, AnnouncementSchema, ListAnnouncementsResponseSchema } from "~/gen/fudaba/v1/arena_pb";
import { loadLanguage, loadTexts } from "~/i18n";
import { Announcements } from "~/parts/ladder/announcements";

vi.mock("~/api/arena", () => ({ arena: { listAnnouncements: vi.fn() } }));

beforeAll(async () => {
  await loadLanguage("en");
  await loadTexts("ladder");
});

async function shown(announcements: readonly Announcement[]): Promise<HTMLElement> {
  const answer = create(ListAnnouncementsResponseSchema, { announcements: [...announcements] });
  vi.mocked(arena.listAnnouncements).mockResolvedValue(answer);
  const root = document.createElement("div");
  await act(async () => {
    render(<Announcements ladder="open" />, root);
    await Promise.resolve();
  });
  return root;
}

test("announcements are shown as they are written, with a link to their feed", async () => {
  const text = "The <b>deadline</b> is\na day later.";
  const root = await shown([create(AnnouncementSchema, { announcementId: "a", ladder: "open", text })]);
  expect(root.querySelector(".ladder-description")?.textContent).toBe(text);
  expect(root.querySelector("a")?.getAttribute("href")).toBe("/ladders/open/news.atom");
});

test("without announcements nothing is shown", async () => {
  const root = await shown([]);
  expect(arena.listAnnouncements).toHaveBeenCalled();
  expect(root.innerHTML).toBe("");
});
