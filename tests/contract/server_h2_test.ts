// The server port on the native transport keeps the contract.
import type { Serve } from "../../src/extproc/port.ts";
import { serveGrpc } from "../../src/h2/grpc_server.ts";
import { serverContract } from "./server_contract.ts";

const serve: Serve = serveGrpc;

serverContract("native", serve);
