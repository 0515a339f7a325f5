// The control-plane port over npm:@grpc/grpc-js keeps the contract.
import { connect } from "../../src/grpcjs/client.ts";
import { clientContract } from "./client_contract.ts";

clientContract("grpc-js", connect);
