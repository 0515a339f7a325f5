// The server port over npm:@grpc/grpc-js keeps the contract.
import { serve } from "../../src/grpcjs/server.ts";
import { serverContract } from "./server_contract.ts";

serverContract("grpc-js", serve);
