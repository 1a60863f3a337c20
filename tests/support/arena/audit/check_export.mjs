// A second implementation of docs/verifying.md, written from that page alone.
//
//   node check_export.mjs vectors VECTORS.json   prints each value that it computes differently
//   node check_export.mjs export EXPORT.jsonl    prints what is wrong with an export, a line each
//
// Exit code 1 if anything was printed.
import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";

const faults = [];
const wrong = (text) => faults.push(text);
const hex = (text) => Buffer.from(text, "hex");
const sha = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
const hmac = (key, ...parts) => parts.reduce((mac, part) => mac.update(part), createHmac("sha256", key)).digest();

function number(value, bytes) {
  const buffer = Buffer.alloc(bytes);
  for (let left = BigInt(value), at = bytes - 1; at >= 0; at--, left >>= 8n) buffer[at] = Number(left & 255n);
  return buffer;
}

const commitmentOf = (master) => sha("fudaba-master-v1", master);
const blockSeed = (master, block) => hmac(master, "fudaba-block-v1", number(block, 8));
const dealSeed = (seed, deal) => hmac(seed, "fudaba-deal-v1", number(deal, 4));
const matchCommitment = (salt, seed, id) => sha("fudaba-commit-v1", salt, seed, id);

function* stream(seed, deal, shuffle) {
  for (let part = 0; ; part++) {
    const four = sha(seed, "fudaba-shuffle-v1", number(deal, 4), number(shuffle, 4), number(part, 8));
    for (let at = 0; at < 32; at += 8) yield four.readBigUInt64BE(at);
  }
}

function shuffled(cards, seed, deal, shuffle) {
  const numbers = stream(seed, deal, shuffle);
  const below = (n) => {
    const end = 2n ** 64n - (2n ** 64n % n);
    let x = numbers.next().value;
    while (x >= end) x = numbers.next().value;
    return Number(x % n);
  };
  const result = [...cards];
  for (let i = result.length - 1; i > 0; i--) {
    const j = below(BigInt(i + 1));
    [result[i], result[j]] = [result[j], result[i]];
  }
  return result;
}

function matchDigest(match) {
  const { match_id, deal_seed, bots, scores, forfeited_by, forfeit_cause, ended_ms } = match;
  const texts = [match_id, deal_seed, bots.join(","), scores.join(","), forfeited_by, forfeit_cause, String(ended_ms)];
  return sha("fudaba-result-v1", texts.join("\n"));
}

const resultsDigest = (digests) => sha("fudaba-results-v1", ...digests);

function checkVectors(file) {
  const vectors = JSON.parse(readFileSync(file, "utf8"));
  const same = (label, value, right) => {
    if (JSON.stringify(value) !== JSON.stringify(right)) wrong(`${label}: ${JSON.stringify(value)}`);
  };
  const master = hex(vectors.master);
  same("commitment", commitmentOf(master).toString("hex"), vectors.commitment);
  for (const { block, seed } of vectors.block_seeds)
    same(`block ${block}`, blockSeed(master, block).toString("hex"), seed);
  for (const { block, deal, seed } of vectors.deal_seeds)
    same(`block ${block}, deal ${deal}`, dealSeed(blockSeed(master, block), deal).toString("hex"), seed);
  for (const { seed, deal, shuffle, cards, order } of vectors.shuffles)
    same(`shuffle of ${cards}`, shuffled([...Array(cards).keys()], hex(seed), deal, shuffle), order);
  const naga = vectors.naga_deal;
  const deck = [..."DLFWATE"].flatMap((letter) => [1, 2, 3, 4, 5, 6, 7].map((n) => letter + n));
  const dealt = shuffled([...deck, "MI", "MC"], hex(naga.seed), 0, 0);
  same("places", dealt.slice(0, 9), naga.places);
  same("child", dealt.slice(9, 14), naga.child);
  same("dealer", dealt.slice(14, 19), naga.dealer);
  same("stock", dealt[19], naga.stock_top);
  const match = vectors.match_commitment;
  same("match", matchCommitment(hex(match.salt), hex(match.seed), match.match_id).toString("hex"), match.commitment);
  const digests = vectors.match_digests.map(matchDigest);
  vectors.match_digests.forEach((match, at) => same(match.match_id, digests[at].toString("hex"), match.digest));
  same("results", resultsDigest(digests).toString("hex"), vectors.results_digest);
}

function letters(index) {
  let text = "";
  for (let left = index + 1; left > 0; left = Math.floor((left - 1) / 26))
    text = String.fromCharCode(97 + ((left - 1) % 26)) + text;
  return text;
}

function checkExport(file) {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
  const [head] = lines;
  const ofKind = (kind) => lines.filter((line) => line.kind === kind);
  const [blocks, deals, matches, [end]] = [ofKind("block"), ofKind("deal"), ofKind("match"), ofKind("end")];
  const master = hex(head.master);
  if (commitmentOf(master).toString("hex") !== head.commitment) wrong("the master is not the one committed to");
  if (head.id !== `${head.name}-${head.commitment.slice(0, 8)}`) wrong("the id is another");
  const byNumber = new Map(blocks.map((block) => [block.block, block]));
  for (const block of blocks) checkBlock(head, block, blockSeed(master, block.block), deals, matches);
  for (let slot = 0; slot < head.planned_blocks; slot++) {
    let block = slot;
    while (byNumber.get(block)?.state === "void") block += head.planned_blocks;
    if (!byNumber.has(block) && ![...head.parked, ...head.left_out].includes(block)) wrong(`block ${block} is missing`);
  }
  checkLines(lines);
  if (!end) return wrong("there is no end");
  for (const [name, found] of Object.entries({ blocks, deals, matches }))
    if (end[name] !== found.length) wrong(`${found.length} ${name}, not ${end[name]}`);
  if (resultsDigest(matches.map((match) => hex(match.digest))).toString("hex") !== end.results_digest)
    wrong("the results digest is another");
}

/** Which lines there are, and in which order. */
function checkLines(lines) {
  if (lines.filter((line) => line.kind === "tournament").length !== 1) wrong("not one tournament");
  if (lines.filter((line) => line.kind === "end").length > 1) wrong("more than one end");
  if (lines.at(-1).kind !== "end") wrong("the end is not last");
  const ranks = { block: 0, deal: 1, match: 2 };
  const places = lines.filter((line) => line.kind in ranks).map((line) => [line.block, ranks[line.kind], line.deal ?? 0]);
  for (let at = 1; at < places.length; at++) {
    const [before, place] = [places[at - 1], places[at]];
    const differs = [0, 1].find((part) => before[part] !== place[part]);
    if (differs !== undefined ? before[differs] > place[differs] : place[1] === 1 && before[2] >= place[2])
      wrong(`block ${place[0]}: its lines are in another order`);
  }
}

function checkBlock(head, block, seed, deals, matches) {
  const name = `block ${block.block}`;
  if (block.seed !== seed.toString("hex")) wrong(`${name}: its seed is another`);
  if (block.slot !== block.block % head.planned_blocks) wrong(`${name}: its slot is another`);
  if (block.attempt !== Math.floor(block.block / head.planned_blocks)) wrong(`${name}: its attempt is another`);
  const known = head.definition.bots.map((bot) => bot.bot);
  if ((block.state === "void") !== (block.void_cause !== "")) wrong(`${name}: void_cause is "${block.void_cause}"`);
  for (const bot of block.void_bots) if (!known.includes(bot)) wrong(`${name}: there is no bot ${bot}`);
  const own = deals.filter((deal) => deal.block === block.block);
  if (own.length !== block.deals) wrong(`${name}: ${own.length} deals`);
  for (const { deal } of own)
    if (!(deal >= 0 && deal < block.deals)) return wrong(`${name}: it has no deal ${deal}`);
  for (const deal of own)
    if (deal.seed !== dealSeed(seed, deal.deal).toString("hex")) wrong(`${name}, deal ${deal.deal}: its seed is another`);
  const sat = new Map();
  matches
    .filter((match) => match.block === block.block)
    .forEach((match, at) => {
      const where = `${name}, match ${match.match_id}`;
      if (match.match_id !== `${head.id}-b${block.block}-${letters(at)}`) wrong(`${where}: its id is another`);
      const result = match.result ?? { scores: [], forfeited_by: "", forfeit_cause: "", ended_ms: 0 };
      if (result.scores.reduce((sum, score) => sum + score, 0) !== 0) wrong(`${where}: its scores`);
      const deal_seed = dealSeed(seed, match.deal).toString("hex");
      if (matchDigest({ ...match, ...result, deal_seed }).toString("hex") !== match.digest) wrong(`${where}: its digest`);
      const group = [...match.bots].sort().join(",");
      match.bots.forEach((bot, seat) => {
        const key = `${group}: ${bot}`;
        if (!sat.has(key)) sat.set(key, match.bots.map(() => 0));
        sat.get(key)[seat]++;
      });
    });
  for (const [key, times] of sat) if (new Set(times).size > 1) wrong(`${name}: ${key} does not sit evenly: ${times}`);
}

const [checked, file] = process.argv.slice(2);
({ vectors: checkVectors, export: checkExport })[checked](file);
if (faults.length) console.log(faults.join("\n"));
process.exitCode = faults.length ? 1 : 0;
