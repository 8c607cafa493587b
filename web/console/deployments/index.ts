export { DeploymentScreen } from "./deployment-screen.tsx";
export { DeploymentsScreen } from "./deployments-screen.tsx";
export { NewDeploymentScreen } from "./new-deployment-screen.tsx";
