/** The picture of a game in the list of games: some of its cards. */
import { PictureCards } from "~/learn/cards";
import covers from "~/learn/facts/covers.json";

const COVERS: Readonly<Record<string, string>> = covers;

export default function Cover({ game }: { game: string }) {
  const cards = COVERS[game];
  return cards === undefined ? null : <PictureCards game={game} cards={cards} adorns />;
}
